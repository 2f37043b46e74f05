// Tests `kit build` with the real tsup and swc, and `kit test` with the real vitest. `kit scaffold init` creates the projects.

import assert from "node:assert/strict";
import { chmod, copyFile, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink } from "node:fs/promises";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { type CommandResult, run } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";
import { RunningApp } from "../e2e/support/running-app.ts";
import { databaseStopped } from "../scaffold/database.ts";

const kit = join(repository, "node_modules/.bin/kit");

describe("a project of kit scaffold init", { timeout: 600_000 }, () => {
  let home: string;
  let missing: string | undefined;
  const roots: string[] = [];

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-compilers-"));
    // If the tests run as root, PostgreSQL runs as another account.
    await chmod(home, 0o755);
    await copyFile(join(import.meta.dirname, "package.json"), join(home, "package.json"));
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline"];
    const installed = await run("npm", args, { cwd: home, timeout: 300_000 });
    // Skips the tests only if the npm registry cannot be reached. Any other problem is a failure.
    if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH)\b/.test(installed.stderr))
      missing = "npm reaches no registry";
    else assert.equal(installed.code, 0, installed.stderr);
    // The projects find the compilers in a parent directory, after the packages of this repository.
    const linked = join(repository, "node_modules");
    await mkdir(join(home, "apps"));
    await symlink(linked, join(home, "apps/node_modules"));
    await rm(join(home, "node_modules/typescript"), { recursive: true, force: true });
    if (missing === undefined)
      await symlink(join(linked, "typescript"), join(home, "node_modules/typescript"));
  });

  after(async () => {
    for (const root of roots) await databaseStopped(root);
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  });

  /** Creates a project. `config` is its configuration, and `more` are additional properties of its package.json. */
  async function project(name: string, config: object, more: object = {}): Promise<string> {
    const cwd = join(home, "apps");
    const args = ["scaffold", "init", name, "--server", "native", "--db", "raw", "--no-install", "--no-git"];
    succeeded(await run(kit, args, { cwd }));
    const root = join(cwd, name);
    roots.push(root);
    const path = join(root, "package.json");
    const manifest = JSON.parse(await readFile(path, "utf8")) as object;
    await writeFile(path, JSON.stringify({ ...manifest, ...more }));
    const options = join(root, "kit.config.ts");
    const begin = "export default defineConfig({";
    const text = await readFile(options, "utf8");
    assert.ok(text.includes(begin), text);
    await writeFile(options, text.replace(begin, `${begin} ...${JSON.stringify(config)},`));
    return root;
  }

  for (const compiler of ["tsup", "swc"]) {
    test(`compiled by ${compiler} runs without its sources`, async (t) => {
      if (missing !== undefined) return t.skip(missing);
      const root = await project(compiler, { compiler });
      const built = await run(kit, ["build"], { cwd: root });
      succeeded(built);
      assert.match(built.stdout, new RegExp(`compiled with ${compiler} into dist/`));
      succeeded(await run(kit, ["migrate:apply"], { cwd: root }));
      const token = await run(process.execPath, ["tests/token.ts", "ada"], { cwd: root });
      succeeded(token);
      for (const directory of ["src", ".kit"])
        await rename(join(root, directory), join(root, `${directory} away`));

      const app = await RunningApp.start(root, { args: ["dist/src/main.js"] });
      try {
        const authorization = `Bearer ${token.stdout.trim()}`;
        const headers = { authorization, "content-type": "application/json" };
        const post = (body: object): Promise<Response> =>
          fetch(`${app.url}/todos`, { method: "POST", headers, body: JSON.stringify(body) });
        assert.equal((await post({ title: "Buy milk" })).status, 201);
        assert.equal((await post({ title: "" })).status, 400);
        // No compiler copies the document, which the application reads from a file.
        const document = await fetch(`${app.url}/openapi.json`);
        assert.equal(document.status, 200, await document.text());
      } finally {
        await app.stop();
      }
    });

    test(`compiled by ${compiler} shows the errors that ${compiler} reports`, async (t) => {
      if (missing !== undefined) return t.skip(missing);
      const root = await project(`${compiler}-mistake`, { compiler });
      const main = join(root, "src/main.ts");
      await writeFile(main, `${await readFile(main, "utf8")}export const wrong = ;\n`);
      const people = await run(kit, ["build"], { cwd: root });
      assert.equal(people.code, 1, people.stdout);
      assert.match(people.stderr, /src\/main\.ts/);
      assert.match(people.stderr, /export const wrong = ;/);
      assert.match(
        people.stderr,
        new RegExp(
          `error: \`${compiler}\` failed .*; kit wrote the artifacts, but the code is not compiled\n$`,
        ),
      );
      const programs = await run(kit, ["build", "--json"], { cwd: root });
      assert.equal(programs.code, 1);
      const { failures, ...failure } = JSON.parse(programs.stdout) as {
        failures: { message: string; path: string; line: number; column: number }[];
      };
      assert.partialDeepStrictEqual(failure, { code: "BUILD_ERROR", phase: "compile" });
      // The errors have the format of tsc: file, line and column. The column is that of the semicolon.
      const line = (await readFile(main, "utf8")).split("\n").indexOf("export const wrong = ;") + 1;
      assert.equal(failures.length, 1);
      assert.partialDeepStrictEqual(failures[0], { path: "src/main.ts", line, column: 22 });
      assert.match(failures[0]!.message, /^(Unexpected ";"|Expression expected)$/);
    });
  }

  test("passes the arguments in its configuration to its compiler", async (t) => {
    if (missing !== undefined) return t.skip(missing);
    const tsup = await project("tsup-arguments", {
      compiler: "tsup",
      compilerArgs: ["src/main.ts", "--format", "esm", "--minify", "--sourcemap"],
    });
    succeeded(await run(kit, ["build"], { cwd: tsup }));
    // The arguments select a single entry, minified code and a source map.
    assert.match(await readFile(join(tsup, "dist/main.js"), "utf8"), /sourceMappingURL=main\.js\.map/);
    const swc = await project("swc-arguments", {
      compiler: "swc",
      distDir: "out",
      compilerArgs: ["--source-maps", "true", "-C", "minify=true"],
    });
    succeeded(await run(kit, ["build"], { cwd: swc }));
    assert.match(await readFile(join(swc, "out/src/main.js.map"), "utf8"), /"mappings"/);
    assert.match(await readFile(join(swc, "out/src/main.js"), "utf8"), /from"\.\/app\.js"/);
  });

  test("is tested by vitest if vitest is one of its dependencies", async (t) => {
    if (missing !== undefined) return t.skip(missing);
    const root = await project("vitest", {}, { devDependencies: { vitest: "*" } });
    // kit.config.ts needs the other files of the directory.
    for (const file of ["auth.test.ts", "todos.test.ts"]) await rm(join(root, "tests", file));
    await writeFile(
      join(root, "tests/types.test.ts"),
      [
        'import { describe, expect, test } from "vitest";',
        "// Found where the other packages of the project are, too.",
        'import { NotFoundError } from "@kit/errors";',
        'describe("errors", () => {',
        '  test("have a status", () => expect(new NotFoundError("A", "b").status).toBe(404));',
        '  test("are wrong", () => expect(1).toBe(2));',
        '  test.skip("are left out", () => {});',
        "});",
        "",
      ].join("\n"),
    );
    const tested = await run(kit, ["test", "--json"], { cwd: root });
    assert.equal(tested.code, 1, tested.stderr);
    assert.partialDeepStrictEqual(JSON.parse(tested.stdout), {
      passed: 1,
      failed: 1,
      skipped: 1,
      failures: [{ name: "errors > are wrong", file: "tests/types.test.ts", line: 6 }],
    });
    const filtered = await run(kit, ["test", "--json", "--", "-t", "status"], { cwd: root });
    assert.equal(filtered.code, 0, filtered.stdout + filtered.stderr);
  });

  test("has contract tests that vitest runs and counts, and a command that repeats a failed request", async (t) => {
    if (missing !== undefined) return t.skip(missing);
    const devDependencies = { vitest: "*", "@kit/testing": "0.1.0" };
    const root = await project("vitest-contracts", {}, { devDependencies });
    const args = ["test:contracts", "--json", "--runs", "5", "--seed", "1"];
    const tested = await run(kit, args, { cwd: root, timeout: 200_000 });
    succeeded(tested);
    const { passed, failed, contracts } = JSON.parse(tested.stdout) as Record<"passed" | "failed", number> & {
      contracts: Readonly<Record<"routes" | "fields" | "rules", { seen: number; of: number }>>;
    };
    assert.ok(passed > 50, tested.stdout);
    assert.equal(failed, 0, tested.stdout + tested.stderr);
    for (const { seen, of } of [contracts.routes, contracts.fields, contracts.rules]) {
      assert.ok(of > 0);
      assert.equal(seen, of, tested.stdout);
    }
    // This handler breaks its contract only for some values.
    const handlers = join(root, "src/todos.handlers.ts");
    const right = await readFile(handlers, "utf8");
    const start = '"GET /todos": async ({ query';
    assert.ok(right.includes(start), right);
    await writeFile(
      handlers,
      right.replace(
        /("GET \/todos": async \(\{ query.*\{\n)/,
        "$1    if ((query.page ?? 0) > 5) throw new Error('on purpose');\n",
      ),
    );
    const broken = await run(kit, ["test:contracts", "--runs", "50", "--seed", "1"], {
      cwd: root,
      timeout: 200_000,
    });
    assert.equal(broken.code, 1, broken.stdout);
    assert.match(
      broken.stdout,
      /GET \/todos > takes 50 random requests: .*GET \/todos failed with INTERNAL_SERVER_ERROR/,
    );
    const generated = ".kit/tests/TodoRoutes.contract.test.ts";
    const lines = (await readFile(join(root, generated), "utf8")).split("\n");
    // The rows are in a JavaScript file, for which vitest has no line: it names the call that makes the tests.
    const line = lines.indexOf("contractTests({") + 1;
    assert.ok(line > 0 && broken.stdout.startsWith(`${generated}:${line} contracts of`), broken.stdout);
    assert.match(broken.stdout, /^ {2}curl -i 'http:\/\/localhost:3000\/todos\?page=6(?:&pageSize=1)?' /m);
    assert.match(broken.stdout, /^ {2}kit test:contracts --seed 1 --replay 'GET \/todos valid [\d:]+'$/m);
  });

  test("can use suites, factories and the matcher under vitest", async (t) => {
    if (missing !== undefined) return t.skip(missing);
    const root = await project("matched", {}, { devDependencies: { "@kit/testing": "*", vitest: "*" } });
    // Replaces the test, which is for node:test. The files that the contract tests need stay.
    await writeFile(
      join(root, "tests/todos.test.ts"),
      `import { createFactory, createIntegrationSuite, schemaMatchers } from "@kit/testing";
import { beforeEach, expect, test } from "vitest";
import type { Todo as Task } from "../src/todos.types.ts";
import { developmentToken } from "./token.ts";

expect.extend(schemaMatchers);

// vitest removes this interface from the source, which moves all lines below it.
interface Moves {
  a: string;
  b: string;
}
const moves: Moves = { a: "", b: "" };
const suite = await createIntegrationSuite({ app: () => import("../src/app.ts") });
const tasks = createFactory<Task>();
beforeEach(() => suite.reset());

test("a todo is shown to its user", async () => {
  expect(Object.keys(moves)).toHaveLength(2);
  const task = await suite.insert(tasks, { userId: "ada" });
  const headers = { authorization: \`Bearer \${await developmentToken("ada")}\` };
  const { body } = await suite.request("GET /todos/:id", { params: { id: task.id }, headers });
  expect(body).toMatchSchema("Todo");
  expect({ ...task, title: "" }).not.toMatchSchema("Todo");
});

test("the database is as it was", async () => {
  expect(await suite.query("SELECT id FROM todos")).toEqual([]);
});

test("reports a mismatch", () => {
  expect({ ...tasks.build(), title: "" }).toMatchSchema("Todo");
});
`,
    );
    const tested = await run(kit, ["test", "--json", "--", "tests/todos"], { cwd: root });
    assert.equal(tested.code, 1, tested.stderr);
    const { passed, failed, failures } = JSON.parse(tested.stdout) as {
      passed: number;
      failed: number;
      failures: { message: string }[];
    };
    assert.deepEqual([passed, failed], [2, 1], tested.stdout);
    assert.match(
      failures[0]?.message ?? "",
      /does not match Todo:\n {2}\$\.title: expected string, 1 to 200 characters, received string of 0 characters/,
    );
    const checked = await run(
      process.execPath,
      [join(repository, "node_modules/typescript/bin/tsc"), "-p", "."],
      { cwd: root },
    );
    succeeded(checked);
  });
});

function succeeded(result: CommandResult): void {
  assert.equal(result.code, 0, `${result.stdout}\n${result.stderr}`);
}
