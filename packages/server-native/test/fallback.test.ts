// Runs the tests of the native server on node:http. The test files read the environment to know which server they test.
process.env["KIT_SERVER"] = "node";
for (const name of ["adapter", "exchange", "leaks", "options", "pipeline", "refusing", "unix"]) {
  await import(`./${name}.test.ts`);
}
