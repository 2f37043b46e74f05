import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { baseEnvironment } from "../../e2e/support/command.ts";
import { repository } from "../../e2e/support/project.ts";
import { eventually, type Json, jsonOf, textOf } from "../read.ts";
import { notesWithoutTables, onlyOnce, playground, projectOf } from "../projects.ts";
import { at, type Section } from "../statement.ts";

/** New project for the native server without a query builder (`--db raw`). */
const scaffolded = onlyOnce(async () => {
  const project = await projectOf({});
  const args = ["shelf", "--server", "native", "--db", "raw", "--no-install", "--no-git"];
  await project.kitOk("scaffold", "init", ...args);
  return project;
});

/** Asserts that a command prints help. */
const hasHelp =
  (...command: readonly string[]) =>
  async (): Promise<void> => {
    const { stdout } = await (await playground()).kitOk(...command, "--help");
    assert.match(stdout, new RegExp(`Usage: kit ${command.join(" ")}`));
  };

/** Returns the output of `kit dev` for Notes without tables, up to a text that matches. */
async function saidByDev(awaited: RegExp): Promise<string> {
  const project = await notesWithoutTables();
  const kit = join(repository, "node_modules/.bin/kit");
  const dev = spawn(process.execPath, [kit, "dev", "--port", "0"], {
    cwd: project.root,
    env: { ...baseEnvironment(), DEBUG_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [dev.stdout, dev.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(dev, "exit");
  try {
    await eventually(
      () => said,
      (text) => awaited.test(text) || dev.exitCode !== null,
      1_500,
    );
  } finally {
    dev.kill("SIGINT");
    await ended;
  }
  return said;
}

export const commands: Section = {
  number: "4.5",
  title: "Commands",
  statements: [
    {
      title: "kit scaffold init <name> --server native --db raw creates a project",
      test: async () => {
        const project = await scaffolded();
        const { name } = await jsonOf(project, "shelf/package.json");
        assert.equal(name, "shelf");
        assert.match(await textOf(project, "shelf/src/app.ts"), /nativeServer\(\)/);
      },
    },
    {
      title: "a project for every server and database builds and passes the type check",
      provenBy: at(
        "tests/scaffold/scaffold.test.ts",
        "on ${server} with ${database} is built and type-checked",
      ),
    },
    {
      title: "a new project has the typed client and contract tests, also with --db raw",
      test: async () => {
        const { dependencies, devDependencies } = await jsonOf<Record<string, object>>(
          await scaffolded(),
          "shelf/package.json",
        );
        const names = Object.keys({ ...dependencies, ...devDependencies });
        for (const name of ["@kit/client", "@kit/testing"])
          assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
      },
    },
    {
      title: "kit scaffold init refuses an unknown server and an unknown database library",
      provenBy: at("crates/kit-cli/tests/suite/scaffold.rs", "refuses_invalid_options_as_wrong_usage"),
    },
    {
      title: "kit build runs all hooks and reports the result",
      test: async () => {
        const { stdout } = await (await playground()).kitOk("build", "--no-compile", "--json");
        const { status, counts } = JSON.parse(stdout) as { status: string; counts: Json };
        assert.equal(status, "built");
        assert.equal(counts["routes"], 19);
      },
    },
    {
      title: "kit dev serves the application, and restarts it after each edit",
      provenBy: at("packages/cli/test/dev.test.ts", "serves edits on ${from} without refusing a connection"),
    },
    {
      title: "kit dev reports migrations that have not been applied",
      test: async () =>
        assert.match(await saidByDev(/not applied/), /1 migration not applied: \d{14}_create_notes/),
    },
    {
      title: "kit generate writes the artifacts without compiling, and kit build compiles too",
      test: async () => {
        const project = await projectOf({
          "package.json": '{ "name": "small", "type": "module" }',
          "tsconfig.json":
            '{ "compilerOptions": { "module": "nodenext", "rootDir": ".", "types": [] }, "include": ["src"] }',
          "src/a.types.ts": "export interface Sent { name: string }\n",
          "src/main.ts": "export const answer = 42;\n",
        });
        const main = join(project.root, "dist/src/main.js");
        await project.kitOk("generate");
        assert.ok(existsSync(join(project.root, ".kit/validators/Sent.validator.ts")));
        assert.equal(existsSync(main), false);
        await project.kitOk("build");
        assert.equal(existsSync(main), true);
      },
    },
    {
      title: "kit generate:tests writes the contract tests",
      test: async () => {
        const project = await playground();
        const { stdout } = await project.kitOk("generate:tests", "--json");
        const { files } = JSON.parse(stdout) as { files: string[] };
        assert.ok(
          files.some((file) => file.endsWith("ThingRoutes.contract.test.ts")),
          stdout,
        );
        for (const file of files) assert.ok(existsSync(join(project.root, file)), file);
      },
    },
    {
      title: "kit generate:openapi writes .kit/openapi.json",
      changed:
        "it writes `.kit/schemas/openapi.json`, as every build does, or the file that `--out` names: a second document in `.kit/` went out of date",
      provenBy: at(
        "crates/kit-cli/tests/suite/build.rs",
        "copies_the_openapi_document_to_the_path_of_the_option_out",
      ),
    },
    {
      title: "kit test runs the generated tests and those of the project",
      provenBy: at(
        "packages/cli/test/testing.test.ts",
        "runs contract tests alone, and with the other tests",
      ),
    },
    {
      title: "kit test --json lists the tests that passed and those that failed",
      provenBy: at(
        "packages/cli/test/testing.test.ts",
        "lists failures with their location, as text and as JSON",
      ),
    },
    {
      title: "kit test:contracts runs only the contract tests",
      provenBy: at(
        "packages/cli/test/testing.test.ts",
        "runs contract tests alone, and with the other tests",
      ),
    },
    {
      title: "kit test --json names the generated file of a contract test that fails",
      test: async () => {
        // The handler of `GET /wrong-answer` breaks its contract.
        const { stdout } = await (
          await playground()
        ).kit(["test:contracts", "--json"], {
          env: { ADAPTER: "native", APP: "{}" },
        });
        const { failures } = JSON.parse(stdout) as { failures: { name: string; file: string }[] };
        const files = failures.filter(({ name }) => name.includes("/wrong-answer")).map(({ file }) => file);
        assert.ok(files.length > 0, stdout);
        const generated = ".kit/tests/ThingRoutes.contract.js";
        assert.ok(files.includes(generated), `${generated} is not among ${files.join(", ")}`);
      },
    },
    {
      title: "kit migrate:generate --name <name> creates a migration",
      provenBy: at("packages/cli/test/kit.test.ts", "generates a migration once"),
    },
    {
      title: "kit migrate:apply applies a migration once",
      provenBy: at("tests/e2e/build.test.ts", "are applied once, and then nothing is left to do"),
    },
    { title: "kit inspect has subcommands", test: hasHelp("inspect") },
    {
      title: "every command exits with 0, 1 or 2, and prints its result to standard output",
      provenBy: at(
        "tests/e2e/commands.test.ts",
        "every command exits with 0 after printing help, and with 2 after unknown arguments",
        'kit ${args.join(" ")} exits with 0',
        'kit ${args.join(" ")} exits with 1',
      ),
    },
  ],
};
