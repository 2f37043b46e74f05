import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { migrate, noDatabase } from "../database.ts";
import type { Query } from "./rows.ts";

/** New database with the tables of a project, for one suite only. */
export interface SuiteDatabase {
  readonly url: string;
  readonly query: Query;
  /** Drops the database. */
  close(): Promise<void>;
}

/**
 * Creates a database with the tables of `migrations/`. The database is on the server of `TEST_DATABASE_URL` if this variable is set, and
 * otherwise on the embedded PostgreSQL.
 *
 * @throws {Error} if there is no server. The message says what to do.
 */
export async function openDatabase(root: string): Promise<SuiteDatabase> {
  const server = process.env["TEST_DATABASE_URL"]?.trim();
  if (server !== undefined && server !== "") return await onServer(root, server);
  const { createTestDatabase } = await import("@kit/dev-database").catch(noDatabase);
  return await createTestDatabase({ root });
}

/** Part of the driver `pg` that this module calls. */
interface Driver {
  readonly Client: new (options: { connectionString: string }) => {
    connect(): Promise<void>;
    query(query: {
      text: string;
      rowMode: "array";
      types: { getTypeParser(): (text: string) => string };
    }): Promise<{ rows: (string | null)[][] } | { rows: (string | null)[][] }[]>;
    end(): Promise<void>;
  };
}

/** Creates a database on the PostgreSQL server of a URL. The role in the URL needs the right to create databases. */
async function onServer(root: string, server: string): Promise<SuiteDatabase> {
  const admin = await connected(root, server);
  const name = `kit_test_${randomBytes(8).toString("hex")}`;
  const outer = process.env["DATABASE_URL"];
  const url = new URL(server);
  url.pathname = `/${name}`;
  // kit would use the name of the database in this parameter.
  const options = url.search.slice(1).split("&");
  url.search = options.filter((option) => !option.startsWith("dbname=")).join("&");
  let inner: Connected | undefined;
  const close = async (): Promise<void> => {
    await inner?.end();
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.end();
  };
  try {
    await admin.query(`CREATE DATABASE ${name}`);
    process.env["DATABASE_URL"] = url.href;
    if (existsSync(join(root, "migrations"))) await migrate(root);
    inner = await connected(root, url.href);
  } catch (cause) {
    await close();
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Cannot create a test database on the server of TEST_DATABASE_URL: ${said}. The role in the URL needs the right to create databases`,
      { cause },
    );
  } finally {
    if (outer === undefined) delete process.env["DATABASE_URL"];
    else process.env["DATABASE_URL"] = outer;
  }
  return { url: url.href, query: inner.query, close };
}

interface Connected {
  readonly query: Query;
  end(): Promise<void>;
}

/** Connects to a database with the driver `pg` that is installed in the project. */
async function connected(root: string, url: string): Promise<Connected> {
  let driver: Driver;
  try {
    driver = createRequire(join(root, "package.json"))("pg") as Driver;
  } catch (cause) {
    throw new Error(
      "Tests with TEST_DATABASE_URL need the driver `pg`. Run `npm install --save-dev pg`, or unset the variable to use the embedded database",
      { cause },
    );
  }
  const client = new driver.Client({ connectionString: url });
  try {
    await client.connect();
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot connect to the server of TEST_DATABASE_URL: ${said}`, { cause });
  }
  const asText = { getTypeParser: () => (text: string) => text };
  return {
    query: async (text) => {
      const results = await client.query({ text, rowMode: "array", types: asText });
      return Array.isArray(results) ? results.flatMap(({ rows }) => rows) : results.rows;
    },
    end: () => client.end(),
  };
}
