/**
 * Tests a column of every kind, from the types to the rows. `kit build` writes the schema files and the migration, and `tsc --strict`
 * accepts the files with the real library. A real database returns the stored values for a key of two columns.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { createTestDatabase } from "@kit/dev-database";
import { Client } from "pg";

const ROOT = join(import.meta.dirname, "../..");
const KINDS = join(import.meta.dirname, "fixtures/kinds");

/** Row of a table, by the names of the properties. */
type Row = Record<string, unknown>;

describe("a column of every kind", { timeout: 300_000 }, () => {
  let home: string;

  before(async () => {
    // The project is below the repository, so that Node finds the libraries.
    await mkdir(join(ROOT, "target"), { recursive: true });
    home = await mkdtemp(join(ROOT, "target/kinds-"));
  });
  after(() => rm(home, { recursive: true, force: true, maxRetries: 200, retryDelay: 100 }));

  for (const adapter of ["drizzle", "kysely", "raw"]) {
    test(`is stored and read with ${adapter}`, async () => {
      const project = join(home, adapter);
      await mkdir(join(project, "src"), { recursive: true });
      await cp(join(KINDS, "visits.types.ts"), join(project, "src/visits.types.ts"));
      await cp(join(KINDS, "values.ts"), join(project, "values.ts"));
      await cp(join(KINDS, `${adapter}.ts`), join(project, "use.ts"));
      await writeFile(
        join(project, "package.json"),
        JSON.stringify({ name: adapter, type: "module", kit: { database: { adapter } } }),
      );
      const { compilerOptions } = JSON.parse(
        await readFile(join(ROOT, "examples/teams/tsconfig.json"), "utf8"),
      ) as { compilerOptions: object };
      const include = ["*.ts", "src", ".kit/schemas"];
      await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
      await node(project, "@kit/cli/bin/kit.js", "build");
      await node(project, "typescript/bin/tsc", "--project", ".");

      const sql = await readFile(join(project, ".kit/migrations/pending.sql"), "utf8");
      await using database = await createTestDatabase({
        dataDir: join(home, "data"),
        template: { key: "kinds", prepare: (url) => execute(url, sql) },
      });
      const { use } = await module<{ use: (url: string) => Promise<[Row, Row, Row, string]> }>(
        project,
        "use.ts",
      );
      const { first, second } = await module<{ first: Row; second: Row }>(project, "values.ts");
      const [inserted, changed, found, twice] = await use(database.url);

      // A bigint column is read as a bigint. drizzle reads it as a number, because the type limits its size.
      const bytesTotal = adapter === "drizzle" ? first["bytesTotal"] : BigInt(Number(first["bytesTotal"]));
      const filledIn = {
        bytesTotal,
        remark: null,
        state: "planned",
        open: true,
        discount: "0.500",
        lastDay: "2026-12-31",
      };
      const { placeId, updatedAt, event } = inserted;
      assert.match(String(event), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const made = Number.parseInt(String(event).replace("-", "").slice(0, 12), 16);
      assert.ok(Math.abs(Date.now() - made) < 60_000, "the UUID begins with the time");
      assert.deepEqual(
        comparable(inserted),
        comparable({ ...first, ...filledIn, placeId, updatedAt, event }),
      );
      assert.deepEqual(
        comparable(changed),
        comparable({ ...inserted, ...second, updatedAt: changed["updatedAt"] }),
      );
      assert.ok((changed["updatedAt"] as Date) > (inserted["updatedAt"] as Date), "an update sets the time");
      assert.deepEqual(comparable(found), comparable(changed));
      assert.match(twice, /visits_pkey/);
    });
  }
});

/** Returns a row whose bytes are lists of numbers, because the drivers have different classes for bytes. */
function comparable(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? [...value] : value]),
  );
}

/** Imports a module of a project. */
async function module<T>(project: string, file: string): Promise<T> {
  return (await import(pathToFileURL(join(project, file)).href)) as T;
}

async function node(cwd: string, program: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, "node_modules", program), ...args], { cwd }).catch(
    (error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}${error.stderr}`),
  );
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
