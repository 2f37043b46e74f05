// Tests `kit db seed` with each adapter, on the embedded database.

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";

import { openDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { NOTES, Project } from "./support/project.ts";
import { stopped } from "./support/stopped.ts";

const installed = fileURLToPath(new URL("../../../node_modules", import.meta.url));

/** Seed programs. Each inserts a row with a fixed id, unless the row exists. */
const PROGRAMS = {
  drizzle: `
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { notes } from "../.kit/schemas/notes.ts";

export default async function seed(db: NodePgDatabase): Promise<void> {
  await db.insert(notes).values({ id: "1", title: "from drizzle" }).onConflictDoNothing();
  FAIL
}
`,
  kysely: `
import type { Kysely } from "kysely";
import type { Database } from "../.kit/schemas/database.ts";

export default async function seed(db: Kysely<Database>): Promise<void> {
  await db.insertInto("notes").values({ id: "1", title: "from kysely" }).onConflict((on) => on.doNothing()).execute();
  FAIL
}
`,
  raw: `
import type { ClientBase } from "pg";

export default async function seed(client: ClientBase): Promise<void> {
  await client.query("INSERT INTO notes (id, title) VALUES ('1', 'from raw') ON CONFLICT DO NOTHING");
  FAIL
}
`,
} as const;

const FAILURE = 'if (process.env["FAIL"] === "yes") throw new Error("no more rows");';

/** Returns a program with the adapter `raw`. */
function program(body: string): string {
  return `import type { ClientBase } from "pg";\nexport default async function seed(client: ClientBase) { ${body} }\n`;
}

/** Creates a project with a migration and, if given, a seed program. */
async function projectWith(
  t: TestContext,
  adapter: keyof typeof PROGRAMS,
  source?: string,
): Promise<Project> {
  const library = { drizzle: "drizzle-orm", kysely: "kysely", raw: "pg" }[adapter];
  const project = await Project.create(
    t,
    {
      ...NOTES,
      "package.json": JSON.stringify({ name: "notes", type: "module", dependencies: { [library]: "*" } }),
      ...(source === undefined ? {} : { "src/seed.ts": source }),
    },
    stopped,
  );
  await project.link("node_modules", installed);
  const generated = await project.kit(["migrate:generate", "--name", "one"]);
  assert.equal(generated.code, 0, generated.err);
  const built = await project.kit(["build"]);
  assert.equal(built.code, 0, built.err);
  return project;
}

async function titles(project: Project): Promise<string[]> {
  await using database = await openDatabase({ root: project.root });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ title: string }>("SELECT title FROM notes");
  await client.end();
  return rows.map(({ title }) => title);
}

for (const adapter of ["drizzle", "kysely", "raw"] as const) {
  test(`db seed runs a program for ${adapter} in a transaction`, { timeout: 240_000 }, async (t) => {
    const project = await projectWith(t, adapter, PROGRAMS[adapter].replace("FAIL", FAILURE));
    const early = await project.kit(["db", "seed"]);
    assert.equal(early.code, 1);
    assert.match(
      early.err,
      /the database lacks migrations: \d{14}_one\nhelp: run `kit migrate:apply` first\n$/,
    );
    assert.equal((await project.kit(["migrate:apply"])).code, 0);

    const failed = await project.kit(["db", "seed"], { FAIL: "yes" });
    assert.equal(failed.code, 1);
    assert.match(failed.err, /no more rows/);
    assert.match(
      failed.err,
      /error: src\/seed\.ts: it failed, and its transaction was rolled back; see the output above\n/,
    );
    assert.deepEqual(await titles(project), []);

    const seeded = await project.kit(["db", "seed", "--json"]);
    assert.equal(seeded.code, 0, seeded.err);
    assert.partialDeepStrictEqual(JSON.parse(seeded.out), { status: "seeded", program: "src/seed.ts" });
    const again = await project.kit(["db", "seed"], { CI: "true" });
    assert.deepEqual([again.code, again.out], [0, "ran src/seed.ts\n"]);
    assert.deepEqual(await titles(project), [`from ${adapter}`]);
  });
}

test("db seed refuses production, a missing file and a file without a function", async (t) => {
  const project = await projectWith(t, "raw");
  const missing = await project.kit(["db", "seed"]);
  assert.equal(missing.code, 1);
  assert.match(
    missing.err,
    /error: the project has no src\/seed\.ts\nhelp: write the file, with `export default/,
  );

  await project.write("src/demo.ts", "export const rows = [];\n");
  for (const NODE_ENV of ["production", "Production", " PRODUCTION "]) {
    const production = { NODE_ENV, DATABASE_URL: "postgres://127.0.0.1:1/app" };
    // oxlint-disable-next-line no-await-in-loop
    const refused = await project.kit(["db", "seed", "--file", "src/demo.ts"], production);
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /error: NODE_ENV is `production`, and rows for development .*\nhelp: `--production`/,
    );
  }

  assert.equal((await project.kit(["migrate:apply"])).code, 0);
  const outcome = await project.kit(["db", "seed", "--file", "src/demo.ts"]);
  assert.equal(outcome.code, 1);
  assert.match(outcome.err, /error: src\/demo\.ts: the file has no default export that is a function/);

  const after = async (text: string): Promise<string> => {
    await project.write("src/demo.ts", text);
    const run = await project.kit(["db", "seed", "--file", "src/demo.ts"]);
    assert.equal(run.code, 1, run.out);
    return run.err;
  };
  const insert = `await client.query("INSERT INTO notes (id, title) VALUES ('1', 'a')");`;
  const caught = `${insert} await client.query("no SQL").catch(() => {});`;
  assert.match(
    await after(program(caught)),
    /error: src\/demo\.ts: a statement failed and the program caught its error/,
  );
  assert.match(
    await after(program(`${insert} process.exit(0);`)),
    /error: src\/demo\.ts: the program ended the process/,
  );
  assert.match(await after("export default (;\n"), /error: src\/demo\.ts: the file cannot be loaded/);
  assert.deepEqual(await titles(project), []);
});
