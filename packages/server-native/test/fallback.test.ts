// What every native server does, done by the one on node:http. The files see by the environment whom they test.
process.env["KIT_SERVER"] = "node";
for (const name of ["adapter", "exchange", "leaks", "options", "pipeline", "refusing", "unix"]) {
  await import(`./${name}.test.ts`);
}
