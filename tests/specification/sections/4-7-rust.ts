import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Project } from "../../e2e/support/project.ts";
import { textOf } from "../read.ts";
import { notesWithoutTables, onlyOnce } from "../projects.ts";
import { at, type Proof, type Section } from "../statement.ts";

const config = `import { defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";
export default defineConfig({ database: { adapter: "raw" }, plugins: [rustServer({ db: "sqlx" })] });
`;

/** Notes with the plugin for Rust, built without compiling the Rust code. */
const notesInRust = onlyOnce(async (): Promise<Project> => {
  const project = await notesWithoutTables();
  await writeFile(join(project.root, "kit.config.ts"), config);
  await project.kitOk("build", "--no-compile");
  return project;
});

/** Asserts that a build has written these files. */
const makes =
  (...paths: readonly string[]): Proof =>
  async () => {
    const { root } = await notesInRust();
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(root, path))),
      [],
    );
  };

const theirs = [
  "src/handlers/notes.rs",
  "src/handlers/more.rs",
  "src/services/mail.rs",
  "src/middleware/require_auth.rs",
  "src/app.rs",
  "src/main.rs",
];

const plugin = "packages/plugin-rust-server/test/rust-server.test.ts";

export const rustServer: Section = {
  number: "4.7",
  title: "Rust server",
  statements: [
    {
      title: "the option db selects the library for SQL, and any value other than sqlx is refused",
      provenBy: at(plugin, "rustServer refuses invalid options, before any build"),
    },
    {
      title: "models/<entity>.rs and models/mod.rs contain the types",
      test: makes(".kit/models/note.rs", ".kit/models/mod.rs"),
    },
    {
      title:
        "db/mod.rs has the pool, and functions create, read, change, list and delete rows of each entity",
      provenBy: at("crates/kit-rust-server/tests/served.rs", "runs_every_function_of_the_database_modules"),
    },
    {
      title: "router.rs, app.rs, error.rs and db/mod.rs are generated",
      changed: "app.rs is in src, because the state of the application is the user's",
      test: makes(".kit/router.rs", "src/app.rs", ".kit/error.rs", ".kit/db/mod.rs"),
    },
    {
      title: "the name of a migration is twelve digits and create_<table>",
      test: makes(".kit/migrations/000000000001_create_notes.sql"),
    },
    {
      title: "the generated Rust code is the same for the same types, byte by byte",
      provenBy: at("crates/kit-rust-server/tests/goldens.rs", "generates_the_golden_project_notes"),
    },
    {
      title: "the response to an error of the application has the status of the error",
      provenBy: at(
        "tests/differential/notes.test.ts",
        "Notes on Node and in Rust > respond equally in ${mode}",
      ),
    },
    {
      title: "handlers, services and middleware of the user are never overwritten, but .kit is",
      test: async () => {
        const project = await notesInRust();
        for (const path of theirs) {
          await mkdir(dirname(join(project.root, path)), { recursive: true });
          await writeFile(join(project.root, path), "// mine\n");
        }
        const model = await textOf(project, ".kit/models/note.rs");
        await writeFile(join(project.root, ".kit/models/note.rs"), "// edited\n");
        const types = join(project.root, "src/notes.types.ts");
        await writeFile(
          types,
          (await readFile(types, "utf8")).replace("A note and its author.", "A note of an author."),
        );
        await project.kitOk("build", "--no-compile");
        for (const path of theirs) assert.equal(await textOf(project, path), "// mine\n", path);
        assert.equal(
          await textOf(project, ".kit/models/note.rs"),
          model.replace("A note and its author.", "A note of an author."),
        );
      },
    },
    {
      title: "a build overwrites src/main.rs, src/lib.rs and Cargo.toml",
      changed:
        "kit overwrites src/lib.rs. src/main.rs and Cargo.toml are the user's: a build adds what generated code lacks to Cargo.toml, so that dependencies and settings of the user stay",
      test: async () => {
        const project = await notesInRust();
        const library = await textOf(project, "src/lib.rs");
        await writeFile(join(project.root, "src/lib.rs"), `${library}// edited\n`);
        const manifest = await textOf(project, "Cargo.toml");
        const [dependency] = /^serde_json = .*\n/m.exec(manifest) ?? assert.fail(manifest);
        await writeFile(join(project.root, "Cargo.toml"), `${manifest.replace(dependency, "")}# edited\n`);
        await project.kitOk("build", "--no-compile");
        assert.equal(await textOf(project, "src/lib.rs"), library);
        const completed = await textOf(project, "Cargo.toml");
        assert.ok(completed.endsWith("# edited\n"), completed);
        assert.ok(completed.includes(dependency), completed);
      },
    },
    {
      title: "the compile step runs the Rust build in place of the project's compiler",
      provenBy: at(
        "packages/plugin-rust-server/test/cargo.test.ts",
        "is compiled once, and not again if nothing has changed",
      ),
    },
    {
      title: "nothing is generated if types and contracts have not changed",
      provenBy: at(plugin, "the plugin writes no file if the input is unchanged"),
    },
    {
      title: "the server stores notes in the database that DATABASE_URL names",
      provenBy: at(
        "tests/e2e/servers/notes.test.ts",
        "responds with 201 and the note, whose properties are in the order of its type",
      ),
    },
    {
      title: "the server listens on port 3000 if PORT is not set",
      provenBy: at(
        "crates/kit-runtime/src/settings.rs",
        "uses_defaults_for_absent_or_empty_environment_variables",
      ),
    },
    {
      title: "Rust 1.85 with edition 2024 compiles the generated code",
      provenBy: at("crates/kit-rust-server/tests/built.rs", "compiles_with_the_oldest_rust"),
    },
    {
      title: "an older Rust is refused with a message that names the required version",
      provenBy: at(
        "packages/plugin-rust-server/test/cargo.test.ts",
        "reports the required version if Rust is too old",
      ),
    },
  ],
};
