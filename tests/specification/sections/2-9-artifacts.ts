import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../e2e/support/command.ts";
import { type Json, jsonOf, moduleOf, textOf } from "../read.ts";
import { notes, playground, projectOf } from "../projects.ts";
import { at, type Section } from "../statement.ts";

/** Asserts that the build of Notes has written these files. */
const hasFiles =
  (...paths: readonly string[]) =>
  async (): Promise<void> => {
    const { root } = await notes();
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(root, ".kit", path))),
      [],
    );
  };

interface Validator {
  readonly is: (value: unknown) => boolean;
}

/** Returns the source of a type with this property. */
const sent = (property: string): string => `export interface Sent { ${property}: string }\n`;

export const artifacts: Section = {
  number: "2.9",
  title: "Generated artifacts",
  statements: [
    {
      title: "git ignores the output directory",
      test: async () => {
        const project = await playground();
        await run("git", ["init", "--quiet"], { cwd: project.root });
        const { stdout } = await run("git", ["check-ignore", ".kit/routes.json"], { cwd: project.root });
        assert.equal(stdout, ".kit/routes.json\n");
      },
    },
    {
      title: "a build overwrites artifacts that were edited",
      test: async () => {
        const project = await playground();
        const file = join(project.root, ".kit/routes/index.ts");
        const built = await textOf(project, ".kit/routes/index.ts");
        await writeFile(file, "// edited\n");
        await project.kitOk("generate");
        assert.equal(await textOf(project, ".kit/routes/index.ts"), built);
      },
    },
    {
      title: "validators/<Type>.validator.ts checks values of a type",
      test: async () => {
        const { NoteValidator } = await moduleOf<{ NoteValidator: Validator }>(
          await notes(),
          ".kit/validators/Note.validator.ts",
        );
        const row = {
          id: "123e4567-e89b-42d3-a456-426614174000",
          title: "t",
          content: "",
          authorId: "a",
          archived: false,
        };
        const times = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
        assert.equal(NoteValidator.is({ ...row, ...times }), true);
        assert.equal(NoteValidator.is({ ...row, ...times, title: "" }), false);
      },
    },
    {
      title: "validators/<entity>.ts contains the validators of an entity",
      test: hasFiles("validators/note.ts"),
    },
    { title: "schemas/<table>.ts is the schema of a table", test: hasFiles("schemas/notes.ts") },
    {
      title: "schemas/<entity>.openapi.json is the part of the OpenAPI document that describes the entity",
      test: async () => {
        const { openapi, paths } = await jsonOf<{ openapi: string; paths: Json }>(
          await notes(),
          ".kit/schemas/note.openapi.json",
        );
        assert.match(openapi, /^3\.1\./);
        assert.deepEqual(Object.keys(paths), ["/notes", "/notes/{id}"]);
      },
    },
    {
      title: "schemas/openapi.json is a valid OpenAPI 3.1 document",
      provenBy: at("tests/e2e/openapi.test.ts", "the OpenAPI document is valid OpenAPI 3.1"),
    },
    {
      title: "kit generate:openapi --out writes the document to that path",
      test: async () => {
        const project = await playground();
        await project.kitOk("generate:openapi", "--out", "api.json");
        assert.deepEqual(
          await jsonOf(project, "api.json"),
          await jsonOf(project, ".kit/schemas/openapi.json"),
        );
      },
    },
    {
      title:
        "after kit generate:openapi the output directory contains only files that a build keeps up to date",
      test: async () => {
        const project = await projectOf({
          "package.json": '{ "name": "small", "type": "module" }',
          "src/a.types.ts": sent("before"),
          "src/a.routes.ts": `import type { RouteContract } from "@kit/types";
import type { Sent } from "./a.types.ts";
export interface Routes { "POST /a": RouteContract<void, void, Sent> }
`,
        });
        await project.kitOk("generate:openapi");
        await writeFile(join(project.root, "src/a.types.ts"), sent("after"));
        await project.kitOk("build", "--no-compile");
        const copy = ".kit/openapi.json";
        if (!existsSync(join(project.root, copy))) return;
        const document = await textOf(project, ".kit/schemas/openapi.json");
        assert.ok((await textOf(project, copy)) === document, `${copy} is another document`);
      },
    },
    {
      title:
        "routes/compiled-router.ts, routes/route-table.ts and routes/index.ts contain tree, table and application",
      test: hasFiles("routes/compiled-router.ts", "routes/route-table.ts", "routes/index.ts"),
    },
    {
      title: "routes.json lists the routes, and schemas.json the types",
      test: async () => {
        assert.equal((await jsonOf<Json[]>(await notes(), ".kit/routes.json")).length, 5);
        assert.ok("Note" in (await jsonOf(await notes(), ".kit/schemas.json")));
      },
    },
    {
      title: "tests/*.contract.test.ts are contract tests",
      test: hasFiles("tests/NoteRoutes.contract.test.ts"),
    },
    {
      title: "contract tests send requests to a running application and pass",
      provenBy: at(
        "tests/e2e/coverage.test.ts",
        "generated tests cover every route, field, bound and rule, but no errors that depend on stored data",
      ),
    },
    { title: "client/index.ts is a typed client", test: hasFiles("client/index.ts") },
    {
      title: "migrations/ contains the draft of a migration, which tells if it destroys data",
      test: async () => {
        const { destructive } = await jsonOf(await playground(), ".kit/migrations/pending.json");
        assert.equal(destructive, false);
      },
    },
    {
      title: "the draft of a migration that drops a column is marked as destructive",
      provenBy: at("crates/kit-database/tests/plan.rs", "marks_a_dropped_column_as_destructive"),
    },
    {
      title: ".cache-hash identifies the input that a Rust server was generated from",
      provenBy: at(
        "packages/plugin-rust-server/test/rust-server.test.ts",
        "the plugin writes no file if the input is unchanged",
      ),
    },
  ],
};
