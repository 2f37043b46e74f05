// Tests what scripts and CI rely on, for every command: its exit code, and which output goes to which stream.

import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type CommandResult, run } from "./support/command.ts";
import { Project, repository } from "./support/project.ts";

let project: Project;

before(async () => {
  project = await Project.copy();
  await writeFile(
    join(project.root, "src/example.test.ts"),
    'import { test } from "node:test";\ntest("holds", () => {});\n',
  );
  await project.kitOk("generate");
});
after(() => project.remove());

/** URL of a database on the lowest port, which no process listens on. */
const UNREACHABLE_DATABASE = "postgres://127.0.0.1:1/none?connect_timeout=2";

/** Returns the names of all commands in the help text. */
async function commands(): Promise<string[]> {
  const help = (await project.kitOk("--help")).stdout;
  const list = help.slice(help.indexOf("Commands:"), help.indexOf("Options:"));
  return [...list.matchAll(/^ {2}(\S+) {2,}/gm)].map(([, name]) => name ?? "");
}

/** Parses the standard output of a command, which must be one JSON document. Standard error may contain other text. */
function json(result: CommandResult, what: string): Record<string, unknown> {
  assert.match(result.stdout, /^[[{]/, `${what}: ${result.stdout}${result.stderr}`);
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

/**
 * Runs a command in a pseudoterminal, so its output is what a user sees. Resolves to `undefined` if the machine has no program `script`.
 */
async function outputOf(command: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const log = join(project.root, "terminal.log");
  const kit = join(repository, "node_modules/.bin/kit");
  try {
    const quoted = `'${process.execPath}' '${kit}' ${command}`;
    const result = await run("script", ["--quiet", "--return", "--command", quoted, log], {
      cwd: project.root,
      env: { TERM: "xterm", ...env },
    });
    assert.equal(result.code, 0, result.stdout);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  // The program `script` adds a line at the start and at the end.
  return (await readFile(log, "utf8")).split("\n").slice(1, -2).join("\n");
}

describe("exit codes of commands", () => {
  test("every command exits with 0 after printing help, and with 2 after unknown arguments", async () => {
    const names = await commands();
    for (const name of ["build", "test", "doctor", "inspect", "migrate:apply"])
      assert.ok(names.includes(name), `${name} is among ${names.join(", ")}`);
    for (const name of names) {
      const help = await project.kit([name, "--help"]);
      assert.deepEqual([help.code, help.stderr], [0, ""], name);
      assert.match(help.stdout, /Usage: kit /, name);
      const wrong = await project.kit([name, "--no-such-flag"]);
      assert.deepEqual([wrong.code, wrong.stdout], [2, ""], name);
      assert.match(wrong.stderr, /unexpected argument '--no-such-flag'/, name);
      if (!help.stdout.includes("--json")) continue;
      const machine = await project.kit([name, "--json", "--no-such-flag"]);
      assert.deepEqual([machine.code, machine.stderr], [2, ""], name);
      assert.equal(json(machine, name)["code"], "USAGE_ERROR", name);
    }
  });

  const done: readonly (readonly string[])[] = [
    ["build", "--no-compile"],
    ["build", "--check"],
    ["generate"],
    ["generate:openapi"],
    ["inspect", "routes"],
    ["inspect", "route", "GET /notes/:id"],
    ["inspect", "middleware"],
    ["inspect", "deps"],
    ["inspect", "schema", "Note"],
    ["inspect", "build-pipeline"],
    ["migrate:generate", "--name", "nothing"],
    ["test", "example"],
    ["explain", "KIT1302"],
  ];
  for (const args of done) {
    test(`kit ${args.join(" ")} exits with 0`, async () => {
      const people = await project.kit(args);
      assert.equal(people.code, 0, people.stdout + people.stderr);
      assert.notEqual(people.stdout, "");
      const machine = await project.kit([...args, "--json"]);
      assert.equal(machine.code, 0, machine.stdout + machine.stderr);
      json(machine, args.join(" "));
    });
  }

  const refused: readonly { args: readonly string[]; code: string; says: RegExp }[] = [
    { args: ["build", "--root", "nowhere"], code: "BUILD_ERROR", says: /there is no directory/ },
    { args: ["inspect", "route", "GET /nothing"], code: "INSPECT_ERROR", says: /GET \/nothing/ },
    { args: ["inspect", "schema", "Nothing"], code: "INSPECT_ERROR", says: /Nothing/ },
    { args: ["inspect", "errors", "--debug-port", "1"], code: "INSPECT_ERROR", says: /no debug sidecar/ },
    { args: ["migrate:apply"], code: "MIGRATION_ERROR", says: /cannot connect to 127\.0\.0\.1:1/ },
    {
      args: ["test", "no-such-test"],
      code: "TEST_ERROR",
      says: /no test file has a path with `no-such-test`/,
    },
  ];
  for (const { args, code, says } of refused) {
    test(`kit ${args.join(" ")} exits with 1`, async () => {
      const env = { DATABASE_URL: UNREACHABLE_DATABASE };
      const people = await project.kit(args, { env });
      assert.deepEqual([people.code, people.stdout], [1, ""]);
      assert.match(people.stderr, /^error: /);
      assert.match(people.stderr, says);
      const machine = await project.kit([...args, "--json"], { env });
      assert.deepEqual([machine.code, machine.stderr], [1, ""]);
      assert.equal(json(machine, args.join(" "))["code"], code);
      assert.match(machine.stdout, says);
    });
  }

  test("commands that find outdated files or failed checks print JSON and exit with 1", async () => {
    const copy = await Project.copy();
    try {
      await copy.kitOk("generate");
      await rm(join(copy.root, ".kit/routes.json"));
      const stale = await copy.kit(["build", "--check", "--json"]);
      assert.deepEqual([stale.code, json(stale, "check")["status"]], [1, "stale"]);
      await writeFile(
        join(copy.root, "src/failing.test.ts"),
        'import { test } from "node:test";\ntest("fails", () => { throw new Error("on purpose"); });\n',
      );
      const failed = await copy.kit(["test", "failing", "--json"]);
      assert.equal(failed.code, 1);
      assert.partialDeepStrictEqual(json(failed, "test"), {
        passed: 0,
        failed: 1,
        failures: [{ name: "fails", file: "src/failing.test.ts", line: 2, message: "on purpose" }],
      });
      const doctor = await copy.kit(["doctor", "--json"], { env: { DATABASE_URL: UNREACHABLE_DATABASE } });
      assert.deepEqual([doctor.code, doctor.stderr], [1, ""]);
      assert.equal(json(doctor, "doctor")["status"], "fail");
    } finally {
      await copy.remove();
    }
  });
});

describe("commands in a terminal", () => {
  test("print colors, unless NO_COLOR is set", async (t) => {
    const colored = await outputOf("generate", { NO_COLOR: "" });
    if (colored === undefined) {
      t.skip("script (util-linux) is not installed");
      return;
    }
    assert.ok(colored.includes("\u001B["), colored);
    const plain = await outputOf("generate", { NO_COLOR: "1" });
    assert.match(plain ?? "", /built 5 routes/);
    assert.ok(!plain?.includes("\u001B"), plain);
  });

  test("print valid JSON too", async (t) => {
    const text = await outputOf("inspect routes --json", { NO_COLOR: "" });
    if (text === undefined) {
      t.skip("script (util-linux) is not installed");
      return;
    }
    assert.equal((JSON.parse(text) as unknown[]).length, 5);
  });
});
