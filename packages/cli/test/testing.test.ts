import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { NOTES, Project } from "./support/project.ts";

const KIT = fileURLToPath(new URL("../bin/kit.js", import.meta.url));

const PASSING = 'import { test } from "node:test";\n\ntest("holds", () => {});\n';
const MIXED = [
  'import assert from "node:assert/strict";',
  'import { describe, test } from "node:test";',
  'console.log("printed by a test");',
  'describe("notes", () => {',
  '  test("are listed", () => {});',
  '  test("have titles", () => assert.equal(500, 200, "the status is wrong"));',
  '  test("are deleted", { skip: true }, () => {});',
  "});",
  "",
].join("\n");

test("kit test runs the tests after a build, and prints the result in one line", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/notes.test.ts": [
      'import { existsSync } from "node:fs";',
      'import { test } from "node:test";',
      'import assert from "node:assert/strict";',
      'test("the build is there", () => assert.ok(existsSync(".kit/routes.json")));',
    ].join("\n"),
    "src/[id].spec.ts": PASSING,
    "dist/notes.test.js": "throw new Error('built');",
    "node_modules/other/other.test.js": "throw new Error('not mine');",
  });
  const outcome = await project.kit(["test"]);
  assert.equal(outcome.code, 0, outcome.err);
  assert.match(outcome.out, /^2 passed in \d+\.\d s\n$/);
  assert.match(outcome.err, /the build is there/);
});

test("a suite whose hook fails is one failure, which counts the tests that did not finish", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/notes.test.ts": [
      'import { before, describe, test } from "node:test";',
      'describe("notes", () => {',
      '  before(() => { throw new Error("the database is away"); });',
      '  test("are listed", () => {});',
      '  describe("of a user", () => test("are private", () => {}));',
      "});",
      'describe("others", () => test("hold", () => {}));',
    ].join("\n"),
  });
  const { code, out } = await project.kit(["test"]);
  assert.equal(code, 1);
  assert.match(
    out,
    /^src\/notes\.test\.ts:2 notes: the database is away \(2 tests did not finish\)\n1 failed, 1 passed in /,
  );
});

test("a subtest that is cancelled by its test stays a failure beside a suite with the name of the test", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/a.test.ts": [
      'import { test } from "node:test";',
      "const slow = () => new Promise((end) => setTimeout(end, 5_000));",
      'test("notes", { timeout: 100 }, (t) => t.test("are listed", slow));',
    ].join("\n"),
    "src/b.test.ts": [
      'import { before, describe, test } from "node:test";',
      'describe("notes", () => {',
      '  before(() => { throw new Error("the database is away"); });',
      '  test("are private", () => {});',
      "});",
    ].join("\n"),
  });
  const { code, out } = await project.kit(["test"]);
  assert.equal(code, 1);
  assert.match(out, /^src\/a\.test\.ts:3 notes > are listed: /m);
  assert.match(out, /^src\/b\.test\.ts:2 notes: the database is away \(1 test did not finish\)$/m);
  assert.match(out, /^3 failed, 0 passed in /m);
});

test("lists failures with their location, as text and as JSON", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/notes.test.ts": MIXED,
    "src/other.test.ts": PASSING,
    "src/broken.test.ts": 'throw new Error("it does not load");\n',
  });
  const people = await project.kit(["test", "notes", "./src/other"]);
  assert.equal(people.code, 1);
  assert.match(
    people.out,
    /^src\/notes\.test\.ts:6 notes > have titles: the status is wrong\n1 failed, 2 passed, 1 skipped in /,
  );
  assert.match(people.err, /printed by a test/);

  const programs = await project.kit(["test", "--json"]);
  assert.equal(programs.code, 1);
  const report = JSON.parse(programs.out) as Record<string, unknown> & { failures: object[] };
  const { durationMs, failures, ...counts } = report;
  assert.equal(typeof durationMs, "number");
  assert.deepEqual(counts, { passed: 2, failed: 2, skipped: 1 });
  assert.partialDeepStrictEqual(failures, [
    { file: "src/broken.test.ts", message: "Error: it does not load" },
    {
      name: "notes > have titles",
      file: "src/notes.test.ts",
      line: 6,
      message: "the status is wrong\n\n500 !== 200",
    },
  ]);
});

const LOG = new URL("../../core/src/process/index.ts", import.meta.url).href;
const LOGGING = [
  'import assert from "node:assert/strict";',
  'import { execFileSync } from "node:child_process";',
  'import { test } from "node:test";',
  `import { createProcessLog } from ${JSON.stringify(LOG)};`,
  'const options = { level: "info", redact: [], sensitive: [], name: "notes" };',
  'const log = createProcessLog(options).loggerFor(() => ({ route: "GET /notes" }));',
  'test("passes", () => log.info("logged by the passing test"));',
  'test("fails", () => {',
  '  log.error("logged by the failing test", { error: new Error("no notes") });',
  '  assert.equal(500, 200, "the status is wrong");',
  "});",
  'test("reads the log of a process", () => {',
  '  const child = execFileSync(process.execPath, ["child.ts"], { encoding: "utf8" });',
  '  assert.match(child, /"message":"logged by a process"/);',
  "});",
  "",
].join("\n");
const CHILD = [
  `import { createProcessLog } from ${JSON.stringify(LOG)};`,
  'createProcessLog({ level: "info", redact: [], sensitive: [], name: "child" }).loggerFor(() => ({})).info("logged by a process");',
  "",
].join("\n");

test("kit test shows the log only with failed tests, unless --log is given", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/notes.test.ts": LOGGING,
    "src/other.test.ts": PASSING,
    "child.ts": CHILD,
  });
  const captured = await project.kit(["test", "--no-build"]);
  assert.equal(captured.code, 1);
  assert.doesNotMatch(captured.err, /logged by/);
  assert.match(
    captured.out,
    /fails: the status is wrong\n {2}log of the application:\n {4}INFO {2}logged by the passing test {2}GET \/notes\n {4}ERROR logged by the failing test {2}GET \/notes\n {6}Error: no notes\n/,
  );
  assert.match(captured.out, /\n1 failed, 3 passed in /);
  const shown = await project.kit(["test", "--no-build", "--log"]);
  assert.match(shown.err, /"message":"logged by the passing test"/);
  assert.doesNotMatch(shown.out, /log of the application/);
});

test("kit test passes the arguments after -- to the test runner", async (t) => {
  const project = await Project.create(t, { ...NOTES, "src/notes.test.ts": MIXED });
  const outcome = await project.kit(["test", "--json", "--", "--test-name-pattern", "listed"]);
  assert.equal(outcome.code, 0, outcome.err);
  assert.partialDeepStrictEqual(JSON.parse(outcome.out), { passed: 1, failed: 0, failures: [] });
  const wrong = await project.kit(["test", "--json", "--", "--no-such-flag"]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /bad option: --no-such-flag/);
  assert.partialDeepStrictEqual(JSON.parse(wrong.out), { code: "TEST_ERROR", phase: "test" });
});

test("kit test fails with a message if there are no tests or no test matches the filter", async (t) => {
  const project = await Project.create(t, NOTES);
  const none = await project.kit(["test"]);
  assert.equal(none.code, 1);
  assert.match(none.err, /^error: there are no tests in .*: no file name has the form name\.test\.ts/);
  await project.write("src/notes.test.ts", PASSING);
  const other = await project.kit(["test", "users"]);
  assert.equal(other.code, 1);
  assert.equal(other.err, "error: no test file has a path with `users`\nhelp: there are src/notes.test.ts\n");
  const contracts = await project.kit(["test:contracts"]);
  assert.equal(contracts.code, 1);
  assert.match(
    contracts.err,
    /^error: there are no contract tests: package\.json does not list @kit\/testing, which the contract tests import/,
  );
});

test("runs contract tests alone, and with the other tests", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/notes.test.ts": PASSING,
    ".kit/tests/notes.contract.test.ts": PASSING.replace("holds", "keeps its contract"),
  });
  const alone = await project.kit(["test:contracts", "--no-build", "--json"]);
  assert.equal(alone.code, 0, alone.err);
  assert.match(alone.err, /keeps its contract/);
  assert.partialDeepStrictEqual(JSON.parse(alone.out), { passed: 1, failed: 0, skipped: 0 });
  const all = await project.kit(["test", "--no-build", "--json"]);
  assert.partialDeepStrictEqual(JSON.parse(all.out), { passed: 2, failed: 0, skipped: 0 });
});

test("kit test runs no tests if the sources have a mistake", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/bad.types.ts": "export interface Bad {\n  title: ;\n}\n",
    "src/notes.test.ts": PASSING,
  });
  const outcome = await project.kit(["test", "--json"]);
  assert.equal(outcome.code, 1);
  assert.equal(outcome.err, "");
  assert.partialDeepStrictEqual(JSON.parse(outcome.out), { code: "BUILD_ERROR", phase: "parse" });
});

test("an interrupt ends kit test and the tests that it runs", { timeout: 30_000 }, async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/notes.test.ts": [
      'import { test } from "node:test";',
      'import { writeFileSync } from "node:fs";',
      'test("waits", async () => {',
      '  writeFileSync("pid", String(process.pid));',
      "  await new Promise((resolve) => setTimeout(resolve, 600_000));",
      "});",
    ].join("\n"),
  });
  for (const args of [["test"], ["test", "--watch"]]) {
    await project.write("pid", "");
    const child = spawn(process.execPath, [KIT, ...args], { cwd: project.root, stdio: "ignore" });
    const closed = new Promise((resolve) => child.on("close", (...how) => resolve(how)));
    const pid = await eventually(async () => Number((await project.read("pid")) || Number.NaN));
    child.kill("SIGTERM");
    assert.deepEqual(await closed, [null, "SIGTERM"], args.join(" "));
    await eventually(async () => (isAlive(pid) ? Number.NaN : 0));
  }
});

test("kit test runs vitest in a project that has vitest installed", async (t) => {
  const vitest = installedVitest();
  if (vitest === undefined) {
    t.skip("vitest is not installed in this repository");
    return;
  }
  const project = await Project.create(t, {
    ...NOTES,
    "package.json": '{ "name": "notes", "type": "module", "devDependencies": { "vitest": "*" } }\n',
    "src/notes.test.ts": MIXED.replace('"node:test"', '"vitest"'),
    "src/logging.test.ts": LOGGING.replace('"node:test"', '"vitest"'),
    "child.ts": CHILD,
  });
  await project.link("node_modules", dirname(vitest));
  const outcome = await project.kit(["test", "--json", "notes"]);
  assert.equal(outcome.code, 1, outcome.err);
  assert.partialDeepStrictEqual(JSON.parse(outcome.out), {
    passed: 1,
    failed: 1,
    skipped: 1,
    failures: [{ name: "notes > have titles", file: "src/notes.test.ts", line: 6 }],
  });
  const logging = await project.kit(["test", "--no-build", "logging"]);
  assert.doesNotMatch(logging.err, /logged by/);
  assert.match(logging.out, /\n {4}ERROR logged by the failing test {2}GET \/notes\n/);
  assert.match(logging.out, /\n1 failed, 2 passed in /);
});

test("kit test reports that vitest is missing if package.json names vitest", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "package.json": '{ "name": "notes", "type": "module", "devDependencies": { "vitest": "*" } }\n',
    "src/notes.test.ts": MIXED,
  });
  const outcome = await project.kit(["test"]);
  assert.equal(outcome.code, 1);
  assert.match(outcome.err, /^error: package\.json names vitest, but it is not installed/);
});

/**
 * Returns the directory of vitest: the one in `KIT_TEST_VITEST`, or the one that the repository has installed. Returns `undefined` if there
 * is none.
 */
function installedVitest(): string | undefined {
  const given = process.env["KIT_TEST_VITEST"];
  if (given !== undefined) return given;
  try {
    return dirname(createRequire(import.meta.url).resolve("vitest/package.json"));
  } catch {
    return undefined;
  }
}

/** Calls `probe` until it returns a number, and resolves to that number. */
async function eventually(probe: () => Promise<number>): Promise<number> {
  for (;;) {
    const found = await probe();
    if (!Number.isNaN(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
