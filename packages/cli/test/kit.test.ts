import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { NOTES, type Outcome, Project, run } from "./support/project.ts";

test("prints help and version to standard output", async (t) => {
  const project = await Project.create(t, {});
  assert.deepEqual(await project.kit(["--version"]), { code: 0, signal: null, out: "kit 0.1.0\n", err: "" });
  const help = await project.kit(["build", "--help"]);
  assert.equal(help.code, 0);
  assert.match(help.out, /Examples:/);
});

test("exits with 2 if the arguments are wrong", async (t) => {
  const project = await Project.create(t, {});
  const outcome = await project.kit(["biuld"]);
  assert.equal(outcome.code, 2);
  assert.equal(outcome.out, "");
  assert.match(outcome.err, /a similar subcommand exists: 'build'/);
});

test("kit build writes the artifacts, and a second build writes the same artifacts", async (t) => {
  const project = await Project.create(t, NOTES);
  const first = await project.kit(["build"]);
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /^built 1 route, 2 types in \d+ ms \(\d+ files written\)\n/);
  const output = await project.output();
  assert.ok("validators/Note.validator.ts" in output, Object.keys(output).join(" "));

  const second = await project.kit(["build", "--json"]);
  assert.equal(second.code, 0, second.err);
  assert.equal(second.err, "");
  const report = JSON.parse(second.out) as Record<string, unknown>;
  assert.equal(report["status"], "built");
  assert.deepEqual(report["counts"], { sources: 2, types: 2, entities: 1, routes: 1 });
  assert.deepEqual((report["files"] as { written: string[] }).written, []);
  assert.deepEqual(await project.output(), output);
});

test("reports a mistake in a source file as a code frame, or as BUILD_ERROR with --json", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/bad.types.ts": "export interface Bad {\n  title: ;\n}\n",
  });
  const people = await project.kit(["build"]);
  assert.equal(people.code, 1);
  assert.equal(people.out, "");
  assert.match(
    people.err,
    /error\[KIT1101\].*\n[^]*src\/bad\.types\.ts:2:10[^]*1 error; nothing was written\n`kit explain KIT1101` gives details about the error\n$/,
  );

  const programs = await project.kit(["build", "--json"]);
  assert.equal(programs.code, 1);
  assert.equal(programs.err, "");
  const failure = JSON.parse(programs.out) as { code: string; phase: string; failures: object[] };
  assert.equal(failure.code, "BUILD_ERROR");
  assert.equal(failure.phase, "parse");
  assert.partialDeepStrictEqual(failure.failures, [{ path: "src/bad.types.ts", line: 2, code: "KIT1101" }]);
  await assert.rejects(project.output(), { code: "ENOENT" });
});

test("uses kit.config.ts, and prints the output of this file to standard error", async (t) => {
  const project = await Project.create(t, {
    "package.json": NOTES["package.json"]!,
    "lib/note.ts": NOTES["src/notes.types.ts"]!,
    "kit.config.ts": [
      'console.log("reading the configuration");',
      "interface Options { typeFiles: string[]; routeFiles: string[] }",
      'const options: Options = { typeFiles: ["lib/*.ts"], routeFiles: ["lib/*.ts"] };',
      "export default options;",
    ].join("\n"),
  });
  const outcome = await project.kit(["build", "--json"]);
  assert.equal(outcome.code, 0, outcome.err);
  assert.match(outcome.err, /reading the configuration/);
  assert.partialDeepStrictEqual(JSON.parse(outcome.out) as object, { counts: { types: 1, sources: 1 } });
});

test("reports the line of a mistake in kit.config.ts", async (t) => {
  for (const [text, expected] of [
    [
      "\nthrow new Error('no luck');",
      /^error\[KIT1004\]: kit\.config\.ts cannot be loaded: no luck\n --> kit\.config\.ts:2:7\n/,
    ],
    [
      "export const a = 1;",
      /^error\[KIT1004\]: kit\.config\.ts has no default export; write `export default/,
    ],
    [
      "export default { typeFiles: [() => 1] };",
      /^error\[KIT1004\]: kit\.config\.ts: `typeFiles\[0\]` is a function; options/,
    ],
    ["export default { outputDri: 'x' };", /unknown option `outputDri`[^]*did you mean `outputDir`\?/],
    ["export default {", /^error\[KIT1004\]: kit\.config\.ts cannot be loaded: /],
    [
      "enum Color { Red }\nexport default {};",
      /^error\[KIT1004\]: kit\.config\.ts cannot be loaded: TypeScript enum is not supported[^\n]*; write the code without[^]*\n --> kit\.config\.ts:1:1\n/,
    ],
  ] as const) {
    const project = await Project.create(t, { ...NOTES, "kit.config.ts": text });
    const outcome = await project.kit(["build"]);
    assert.equal(outcome.code, 1, text);
    assert.equal(outcome.out, "");
    assert.match(outcome.err, expected);
  }
});

test("generates a migration once", async (t) => {
  const project = await Project.create(t, NOTES);
  const first = await project.kit(["migrate:generate", "--name", "create notes", "--json"]);
  assert.equal(first.code, 0, first.err);
  const report = JSON.parse(first.out) as { status: string; path: string; destructive: boolean };
  assert.match(report.path, /^migrations\/\d{14}_create_notes$/);
  assert.equal(report.destructive, false);
  const sql = await readFile(`${project.root}/${report.path}/migration.sql`, "utf8");
  assert.match(sql, /CREATE TABLE "?notes/i);

  const second = await project.kit(["migrate:generate", "--name", "again"]);
  assert.deepEqual(second, {
    code: 0,
    signal: null,
    out: "no new migration: migrations/ is up to date with the types\n",
    err: "",
  });
});

test("kit migrate:apply fails with a message if the database cannot be reached", async (t) => {
  const project = await Project.create(t, NOTES);
  await project.kit(["migrate:generate", "--name", "one"]);
  const outcome = await project.kit(["migrate:apply"], {
    DATABASE_URL: "postgres://127.0.0.1:1/none?connect_timeout=2",
  });
  assert.equal(outcome.code, 1);
  assert.match(outcome.err, /^error: cannot connect to /);
});

test("kit build succeeds if the reader of its output closes the pipe early", async (t) => {
  const project = await Project.create(t, NOTES);
  const kit = fileURLToPath(new URL("../bin/kit.js", import.meta.url));
  const child = spawn(process.execPath, [kit, "build", "--json"], { cwd: project.root });
  child.stdout.destroy();
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(err, "");
  assert.equal(code, 0);
});

test("kit build ends at once after an interrupt, even while kit.config.ts is being imported", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "kit.config.ts": 'console.log("waiting");\nawait new Promise((resolve) => setTimeout(resolve, 600_000));',
  });
  const kit = fileURLToPath(new URL("../bin/kit.js", import.meta.url));
  const child = spawn(process.execPath, [kit, "build"], { cwd: project.root });
  child.stderr.once("data", () => child.kill("SIGINT"));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on("close", (...how) => resolve(how)),
  );
  assert.deepEqual([code, signal], [null, "SIGINT"]);
  await assert.rejects(project.output(), { code: "ENOENT" });
});

test("reports the required version on old versions of Node", async () => {
  const [command, start] = await Promise.all(
    ["kit.js", "start.js"].map((name) => readFile(new URL(`../bin/${name}`, import.meta.url), "utf8")),
  );
  // On an old Node, only the check of the version runs. Everything else is behind a dynamic import.
  assert.deepEqual(command!.match(/^import .*$/gm), ['import { start } from "./start.js";']);
  assert.ok(!/^\s*import\s/m.test(start!), "a static import would fail before the message");
  assert.ok(!`${command}${start}`.includes("await"), "top-level await is newer than some Nodes");
  for (const version of ["18.20.0", "23.11.1", "24.0.0", "24.4.0"]) {
    const outcome = await startOn(version);
    assert.equal(outcome.code, 1);
    assert.ok(outcome.err.startsWith(`error: kit needs Node 24.4.1 or newer, but this is Node ${version} `));
  }
  for (const version of ["24.4.1", "24.5.0", "25.0.0"])
    assert.doesNotMatch((await startOn(version)).err, /needs Node/);
});

/** Starts `kit` with another version in `process.versions.node`. */
function startOn(version: string): Promise<Outcome> {
  return run(
    [
      "--input-type=module",
      "--eval",
      `Object.defineProperty(process.versions, "node", { value: "${version}" });` +
        `await import(${JSON.stringify(new URL("../bin/kit.js", import.meta.url).href)});`,
    ],
    process.cwd(),
  );
}
