/**
 * Tests the schema files of every query builder with the real library and a real database. `tsc --strict` must accept them, and inserts,
 * selects, updates and defaults must work as they declare. The files are golden files of kit-database.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { openDatabase } from "@kit/dev-database";
import type { DevDatabase } from "@kit/dev-database";
import { Client } from "pg";

const ROOT = join(import.meta.dirname, "../..");
const GOLDENS = join(ROOT, "crates/kit-database/tests/goldens");
const BUILDERS = [
  { name: "drizzle", directory: "schemas" },
  { name: "kysely", directory: "kysely" },
  { name: "raw", directory: "raw" },
] as const;

/** Content of `.kit/types.ts` with the entity that some columns refer to. */
const TYPES = "export interface Order { key: number; tags: string[]; level: 1 | 2 }\n";

let directory: string;
let database: DevDatabase;

before(async () => {
  // The project is below the repository, so that Node finds the libraries.
  await mkdir(join(ROOT, "target"), { recursive: true });
  directory = await mkdtemp(join(ROOT, "target/schemas-"));
  for (const { name, directory: golden } of BUILDERS) {
    const project = join(directory, name);
    await cp(join(GOLDENS, "reference", golden), join(project, "schemas"), { recursive: true });
    await cp(join(GOLDENS, "mixed", golden), join(project, "orders"), { recursive: true });
    await cp(join(GOLDENS, "counters", golden), join(project, "counters"), { recursive: true });
    for (const file of await readdir(project, { recursive: true })) {
      if (!file.endsWith(".ts")) continue;
      const path = join(project, file);
      const text = await readFile(path, "utf8");
      await writeFile(path, text.replace(/^\/\/ @ts-nocheck\n/m, ""));
    }
    await cp(join(import.meta.dirname, "fixtures", `${name}.ts`), join(project, "use.ts"));
    await writeFile(join(project, "types.ts"), TYPES);
  }
  database = await openDatabase({ dataDir: join(directory, "data") });
});

after(async () => {
  await database?.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

test("tsc --strict accepts the schema files, and refuses uses that they do not allow", async () => {
  await writeFile(join(directory, "package.json"), '{ "type": "module" }\n');
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    target: "es2023",
    module: "nodenext",
    types: ["node"],
  };
  await writeFile(
    join(directory, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: ["*/*.ts", "*/*/*.ts"] }),
  );
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", directory]).catch(
    (error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}${error.stderr}`),
  );
  assert.equal(stdout, "");
});

for (const { name } of BUILDERS) {
  test(`${name} stores and reads rows as its files declare`, async () => {
    await using client = await connected(database.url);
    // Each query builder gets its own schema of PostgreSQL, with the tables of the migrations.
    await client.query(`CREATE SCHEMA ${name}; SET search_path = ${name}`);
    for (const golden of ["reference", "mixed", "counters"]) {
      const migrations = join(GOLDENS, golden, "migrations");
      for (const migration of await readdir(migrations)) {
        await client.query(await readFile(join(migrations, migration, "migration.sql"), "utf8"));
      }
    }
    // The first order is its own parent, because the sequence begins with its number.
    const url = new URL(database.url);
    await client.query(`ALTER ROLE CURRENT_USER SET search_path = ${name}`);
    const program = pathToFileURL(join(directory, name, "use.ts")).href;
    const { use } = (await import(program)) as { use: (url: string) => Promise<unknown[]> };
    assert.deepEqual(await use(url.href), [
      true,
      "active",
      "suspended",
      true,
      true,
      [9_000_000_000_000n, -9_223_372_036_854_775_808n, 2, 1.5, ["a"], null, [0, 255]],
      name === "kysely" ? "gone" : "x@example.com",
      // All values are numbers, as the types declare, also those that need more than 32 bits.
      { id: 1, total: Number.MAX_SAFE_INTEGER, percent: 100, lowest: Number.MIN_SAFE_INTEGER },
    ]);
  });
}

async function connected(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
