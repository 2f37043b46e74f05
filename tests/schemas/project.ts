/** Projects of tests: entities, a module that uses their schema files, and a database with their tables. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { createTestDatabase } from "@kit/dev-database";
import { Client } from "pg";

const ROOT = join(import.meta.dirname, "../..");

/** Project with the schema files of one query builder. Its database is dropped at the end of the block. */
export interface SchemaProject extends AsyncDisposable {
  readonly root: string;
  /** URL of the database. */
  readonly url: string;
}

/**
 * Builds the project of a directory of fixtures, checks it with `tsc --strict`, and creates its tables. The module `use.ts` of the project is the
 * fixture with the name of the query builder.
 */
export async function schemaProject(
  home: string,
  fixtures: string,
  adapter: string,
  types: string,
): Promise<SchemaProject> {
  const root = join(home, adapter);
  await mkdir(join(root, "src"), { recursive: true });
  await cp(join(fixtures, types), join(root, "src", types));
  await cp(join(fixtures, "values.ts"), join(root, "values.ts"));
  await cp(join(fixtures, `${adapter}.ts`), join(root, "use.ts"));
  await writeFile(
    join(root, "package.json"),
    JSON.stringify({ name: adapter, type: "module", kit: { database: { adapter } } }),
  );
  const { compilerOptions } = JSON.parse(
    await readFile(join(ROOT, "examples/teams/tsconfig.json"), "utf8"),
  ) as { compilerOptions: object };
  const include = ["*.ts", "src", ".kit/schemas"];
  await writeFile(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  await run(root, "@kit/cli/bin/kit.js", "build");
  await run(root, "typescript/bin/tsc", "--project", ".");
  const sql = await readFile(join(root, ".kit/migrations/pending.sql"), "utf8");
  const database = await createTestDatabase({
    dataDir: join(home, "data"),
    template: { key: fixtures, prepare: (url) => execute(url, sql) },
  });
  return { root, url: database.url, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** Imports a module of a project. */
export async function projectModule<T>(root: string, file: string): Promise<T> {
  return (await import(pathToFileURL(join(root, file)).href)) as T;
}

/** Runs a program of an npm package in a directory. Fails with the output of the program. */
export async function run(cwd: string, program: string, ...args: readonly string[]): Promise<void> {
  // In CI, kit refuses to record edits of generated migrations.
  const { CI: _, ...env } = process.env;
  await promisify(execFile)(process.execPath, [join(ROOT, "node_modules", program), ...args], {
    cwd,
    env,
  }).catch((error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}${error.stderr}`));
}

/** Runs SQL statements. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
