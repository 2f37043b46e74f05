/**
 * Adopts a database and reads a row of each table through the schema files of drizzle, kysely and plain SQL, and all rows from a
 * generated Rust server: `kit db pull`, `kit migrate:baseline` and `kit build` run as users run them, and nothing is left to
 * migrate.
 *
 * `KIT_ADOPT` names a directory with the SQL of more databases, one file for each.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import pg, { Client, escapeIdentifier, Pool } from "pg";

import { RunningApp } from "../e2e/support/running-app.ts";
import { rustProgramOf } from "../e2e/support/server.ts";
import { Cluster } from "./support/cluster.ts";

const ROOT = join(import.meta.dirname, "../..");
const LIBRARY = join(ROOT, "crates/kit-cli/tests/adoption/library.sql");

/**
 * Inserts a row into each table, with a value of the type of each column. Switches triggers and foreign keys off. A table that refuses
 * the row, for example because of a check, stays empty.
 */
const FILL = `
SET session_replication_role = replica;
DO $$
DECLARE
  one record;
BEGIN
  FOR one IN
    WITH given AS (
      SELECT c.oid::regclass AS name, attnum, quote_ident(attname) AS attname,
        attnotnull AND NOT atthasdef AND attidentity = '' AS required, CASE
          WHEN t.typtype = 'e' THEN (SELECT quote_literal(enumlabel) FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder LIMIT 1)
          WHEN t.typcategory = 'A' THEN quote_literal('{}')
          WHEN t.typname = 'uuid' THEN quote_literal(gen_random_uuid()::text)
          WHEN t.typname IN ('json', 'jsonb') THEN quote_literal('{"a":[1]}')
          WHEN t.typname = 'bytea' THEN quote_literal('\\x00ff')
          WHEN t.typname IN ('inet', 'cidr') THEN quote_literal('10.0.0.1')
          WHEN t.typname = 'point' THEN quote_literal('(1,2)')
          WHEN t.typname = 'cube' THEN quote_literal('(1)')
          WHEN t.typname = 'isbn' THEN quote_literal('9780140328721')
          WHEN t.typcategory = 'N' THEN '1'
          WHEN t.typcategory = 'B' THEN 'true'
          WHEN t.typname IN ('time', 'timetz') THEN quote_literal('01:02:03')
          WHEN t.typcategory = 'D' THEN quote_literal('2026-02-03 04:05:06')
          WHEN t.typcategory = 'T' THEN quote_literal('1 day')
          WHEN t.typcategory = 'R' THEN quote_literal('empty')
          WHEN t.typname IN ('hstore', 'tsvector') THEN quote_literal('')
          WHEN atttypmod = 5 OR t.typname = 'char' THEN quote_literal('a')
          ELSE quote_literal('ab') END AS value
      FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
        JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity <> 'a'
        JOIN pg_type t ON t.oid = atttypid
      WHERE relkind IN ('r', 'p') AND nspname = 'public' AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid))
    SELECT name, string_agg(attname, ', ' ORDER BY attnum) AS columns, string_agg(value, ', ' ORDER BY attnum) AS values,
      string_agg(attname, ', ' ORDER BY attnum) FILTER (WHERE required) AS least,
      string_agg(value, ', ' ORDER BY attnum) FILTER (WHERE required) AS values_of_least
    FROM given GROUP BY name
  LOOP
    BEGIN
      EXECUTE format('INSERT INTO %s (%s) VALUES (%s)', one.name, one.columns, one.values);
    EXCEPTION WHEN OTHERS THEN
      -- A check may refuse a value. Other columns keep their defaults.
      BEGIN
        EXECUTE CASE WHEN one.least IS NULL THEN format('INSERT INTO %s DEFAULT VALUES', one.name)
          ELSE format('INSERT INTO %s (%s) VALUES (%s)', one.name, one.least, one.values_of_least) END;
      EXCEPTION WHEN OTHERS THEN
        RAISE NOTICE '%: %', one.name, SQLERRM;
      END;
    END;
  END LOOP;
END $$;
RESET session_replication_role;`;

interface Seen {
  readonly tables: number;
  readonly rows: number;
}

/** Reads a row of each table of the built project in this directory. */
type Read = (schemas: string, pool: Pool) => Promise<Seen>;

/** Returns the modules with tables among the schema files, with their exported tables. */
async function tablesIn(schemas: string): Promise<[name: string, table: object][]> {
  const tables: [string, object][] = [];
  for (const file of await readdir(schemas)) {
    if (file === "database.ts" || !file.endsWith(".ts")) continue;
    const module = (await import(pathToFileURL(join(schemas, file)).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module))
      if (typeof value === "object" && value !== null) tables.push([name, value]);
  }
  return tables;
}

const libraries: Record<string, Read> = {
  drizzle: async (schemas, pool) => {
    const { getTableColumns, is } = await import("drizzle-orm");
    const { drizzle } = await import("drizzle-orm/node-postgres");
    const { PgTable } = await import("drizzle-orm/pg-core");
    const db = drizzle(pool);
    let [tables, rows] = [0, 0];
    for (const [name, table] of await tablesIn(schemas)) {
      if (!is(table, PgTable)) continue;
      const found = await db.select().from(table).limit(1);
      for (const row of found)
        assert.deepEqual(Object.keys(row).toSorted(), Object.keys(getTableColumns(table)).toSorted(), name);
      tables += 1;
      rows += found.length;
    }
    return { tables, rows };
  },
  kysely: async (schemas, pool) => {
    const { configure } = (await import(pathToFileURL(join(schemas, "database.ts")).href)) as {
      configure?: (library: typeof pg) => void;
    };
    configure?.(pg);
    // The names of the tables and columns are types only, so they are read from the text.
    const db = new Kysely<Record<string, Record<string, unknown>>>({
      dialect: new PostgresDialect({ pool }),
    });
    const camel = db.withPlugin(new CamelCasePlugin());
    let [tables, rows] = [0, 0];
    for (const { table, columns } of await kyselyTables(schemas)) {
      const found = await db.selectFrom(table).select(columns).limit(1).execute();
      await camel.selectFrom(table).selectAll().limit(1).execute();
      tables += 1;
      rows += found.length;
    }
    return { tables, rows };
  },
  raw: async (schemas, pool) => {
    const { all, configure } = (await import(pathToFileURL(join(schemas, "database.ts")).href)) as {
      all: (table: object) => string;
      configure: (library: typeof pg) => void;
    };
    configure(pg);
    let [tables, rows] = [0, 0];
    for (const [, table] of await tablesIn(schemas)) {
      const { name } = table as { readonly name?: string };
      if (name === undefined) continue;
      const found = await pool.query(`SELECT ${all(table)} FROM ${escapeIdentifier(name)} LIMIT 1`);
      tables += 1;
      rows += found.rows.length;
    }
    return { tables, rows };
  },
};

interface KyselyTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Returns the tables of kysely's `Database`, with the columns of their interfaces. */
async function kyselyTables(schemas: string): Promise<KyselyTable[]> {
  const text = await readFile(join(schemas, "database.ts"), "utf8");
  const start = text.indexOf("export interface Database ");
  const body = text.slice(start, text.indexOf("\n}", start));
  const columnsOf = new Map<string, string[]>();
  for (const file of await readdir(schemas)) {
    const source = await readFile(join(schemas, file), "utf8");
    for (const [, name, fields] of source.matchAll(/export interface (\w+Table) \{\n(.*?)\n\}/gs))
      columnsOf.set(name!, names(fields!));
  }
  return [...body.matchAll(/^ {2}(.+?): (\w+);$/gm)].map(([, key, type]) => ({
    table: key!.startsWith('"') ? (JSON.parse(key!) as string) : key!,
    columns: columnsOf.get(type!) ?? assert.fail(`${type} has no columns`),
  }));
}

/** An entity that `kit db pull` wrote. */
interface Entity {
  readonly name: string;
  readonly table: string;
  /** Module that exports the entity, relative to `src`. */
  readonly module: string;
}

/** Returns the entities in the source files of a project. */
async function entitiesIn(src: string): Promise<Entity[]> {
  const entities: Entity[] = [];
  for (const file of await readdir(src, { recursive: true })) {
    if (!file.endsWith(".types.ts")) continue;
    const text = await readFile(join(src, file), "utf8");
    for (const [, comment, name] of text.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\nexport interface (\w+)/gs)) {
      const table = /@table (\S+)/.exec(comment!)?.[1];
      if (table !== undefined) entities.push({ name: name!, table, module: `./${file}` });
    }
  }
  return entities;
}

/** Writes an application with a route for each entity, which lists all rows of its table. */
async function writeRoutes(src: string, entities: readonly Entity[]): Promise<void> {
  const lines = (write: (entity: Entity, number: number) => string): string => entities.map(write).join("\n");
  await writeFile(
    join(src, "adopted.routes.ts"),
    `import type { RouteContract } from "@kit/types";
${lines(({ name, module }, number) => `import type { ${name} as E${number} } from "${module}";`)}
export interface AdoptedRoutes {
${lines((_, number) => `  "GET /rows/${number}": RouteContract<void, void, void, E${number}[]>;`)}
}
`,
  );
  await writeFile(
    join(src, "app.ts"),
    `import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { AdoptedRoutes } from "./adopted.routes.ts";
const notHere = (): never => {
  throw new Error("only the Rust server runs");
};
const handlers = defineHandlers<AdoptedRoutes>({
${lines((_, number) => `  "GET /rows/${number}": notHere,`)}
});
export const app = createApp({ server: nativeServer(), routes: [{ prefix: "/", handlers }] });
`,
  );
}

/**
 * Reads the rows of each table from the generated Rust server of a project. The server must return the values that the driver of Node
 * returns.
 */
async function readWithRust(
  root: string,
  project: string,
  entities: readonly Entity[],
  url: string,
): Promise<Seen> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  const app = await RunningApp.start(root, {
    program: rustProgramOf(project),
    env: { DATABASE_URL: url, LOG_LEVEL: "error" },
  });
  try {
    let [tables, rows] = [0, 0];
    for (const [number, { table }] of entities.entries()) {
      const response = await fetch(`${app.url}/rows/${number}`);
      const text = await response.text();
      assert.equal(response.status, 200, `${table}: ${text}\n${app.stdout}`);
      const found = JSON.parse(text) as unknown[];
      const { rowCount } = await admin.query(
        `SELECT FROM ${table.split(".").map(escapeIdentifier).join(".")}`,
      );
      assert.equal(found.length, rowCount, table);
      tables += 1;
      rows += Math.min(found.length, 1);
    }
    return { tables, rows };
  } finally {
    await app.stop();
    await admin.end();
  }
}

/** Returns the names of the properties in the body of an interface. */
function names(fields: string): string[] {
  return [...fields.matchAll(/^ {2}("(?:[^"\\]|\\.)*"|[\w$]+)\??:/gm)].map(([, key]) =>
    key!.startsWith('"') ? (JSON.parse(key!) as string) : key!,
  );
}

describe("adopted databases", { timeout: 1_200_000 }, async () => {
  let home: string;
  let cluster: Cluster;
  before(async () => {
    await mkdir(join(ROOT, "target"), { recursive: true });
    home = await mkdtemp(join(ROOT, "target/adopted-"));
    cluster = await Cluster.start();
  });
  after(async () => {
    await cluster?.remove();
    await rm(home, { recursive: true, force: true });
  });

  const directory = process.env["KIT_ADOPT"];
  const more = directory === undefined ? [] : (await readdir(directory)).map((file) => join(directory, file));
  for (const file of [LIBRARY, ...more.filter((path) => path.endsWith(".sql")).toSorted()]) {
    const name = basename(file, ".sql");
    it(`reads the rows of each table of ${name} with drizzle, kysely, plain SQL and a Rust server`, async (t) => {
      await cluster.query(`CREATE DATABASE ${name}`);
      const url = cluster.url.replace(/postgres$/, name);
      const admin = new Client({ connectionString: url });
      admin.on("error", () => {});
      const refused: string[] = [];
      admin.on("notice", ({ message }) => refused.push(message ?? ""));
      await admin.connect();
      try {
        await admin.query(await readFile(file, "utf8"));
        await admin.query("SET search_path = public");
        refused.length = 0;
        await admin.query(FILL);
      } finally {
        await admin.end();
      }
      const kit = async (project: string, ...args: string[]): Promise<string> => {
        const env = {
          ...process.env,
          DATABASE_URL: url,
          SCRATCH_DATABASE_URL: cluster.url,
          // The directory of the other generated servers: their dependencies are compiled there.
          CARGO_TARGET_DIR: join(ROOT, "target/generated"),
        };
        const cli = join(ROOT, "node_modules/@kit/cli/bin/kit.js");
        const options = { cwd: project, env, maxBuffer: 64 << 20 };
        return (await promisify(execFile)(process.execPath, [cli, ...args], options)).stdout;
      };
      const first = join(home, name);
      await mkdir(join(first, "src"), { recursive: true });
      await writeFile(join(first, "package.json"), JSON.stringify({ name, type: "module" }));
      await kit(first, "db", "pull");
      await kit(first, "migrate:baseline");
      assert.match(await kit(first, "migrate:generate", "--check"), /up to date/);
      assert.match(await kit(first, "migrate:status"), /up to date: 1 migration/);
      const seen: Record<string, Seen> = {};
      for (const [library, read] of Object.entries(libraries)) {
        // Node caches modules by their path, so each library needs a directory.
        const project = join(home, `${name}-${library}`);
        await cp(join(first, "src"), join(project, "src"), { recursive: true });
        const settings = { name, type: "module", kit: { database: { adapter: library } } };
        await writeFile(join(project, "package.json"), JSON.stringify(settings));
        await kit(project, "build");
        const pool = new Pool({ connectionString: url, options: "-c TimeZone=UTC", max: 2 });
        try {
          seen[library] = await read(join(project, ".kit/schemas"), pool);
        } finally {
          await pool.end();
        }
        assert.deepEqual(seen[library], seen["drizzle"], library);
      }
      const inRust = `adopted-${name}`;
      const project = join(home, inRust);
      await cp(first, project, { recursive: true });
      const settings = { name: inRust, version: "1.0.0", type: "module" };
      await writeFile(join(project, "package.json"), JSON.stringify(settings));
      await writeFile(
        join(project, "kit.config.ts"),
        `import { defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";
export default defineConfig({ database: { adapter: "raw" }, plugins: [rustServer({ db: "sqlx", profile: "dev" })] });
`,
      );
      await copyFile(join(ROOT, "examples/notes-rust/Cargo.lock"), join(project, "Cargo.lock"));
      const entities = await entitiesIn(join(project, "src"));
      await writeRoutes(join(project, "src"), entities);
      await kit(project, "build");
      assert.deepEqual(await readWithRust(project, inRust, entities, url), seen["drizzle"], "Rust");
      t.diagnostic(
        `${name}: ${JSON.stringify(seen["drizzle"])}, tables that refused a row: ${refused.length}`,
      );
      if (file === LIBRARY) assert.deepEqual([seen["drizzle"]!.tables, refused], [seen["drizzle"]!.rows, []]);
    });
  }
});
