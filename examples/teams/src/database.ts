import type { Plugin, RequestContext } from "@kit/core";
import { cancellable } from "@kit/core/pg";
import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import { DatabaseError, defaults, Pool, types } from "pg";
import { type CamelDatabase, configure } from "../.kit/schemas/database.ts";

/** The tables, in camel case, as `kit build` makes them of the types with `@table`. */
export type Database = CamelDatabase;

/** `DATABASE_URL`, or during development the PostgreSQL that kit runs for this project. */
async function connectionString(): Promise<string> {
  const url = process.env["DATABASE_URL"]?.trim();
  if (url !== undefined && url !== "") return url;
  const { databaseUrl } = await import("@kit/dev-database");
  return databaseUrl();
}

// Values come as the generated types say.
configure({ defaults, types });

const pool = new Pool({
  connectionString: await connectionString(),
  // The columns are `timestamp` without a zone; `now()` has to mean the same wherever the server stands.
  options: "-c TimeZone=UTC",
  // While PostgreSQL is down or busy, a request waits at most this long for a connection; it is answered with 503.
  connectionTimeoutMillis: 5_000,
  // PostgreSQL ends a statement that takes longer than a request may.
  statement_timeout: 30_000,
});

// A connection that breaks while nobody uses it (the database restarts, say) is replaced at the next query.
pool.on("error", (error) => console.error(`database: ${error.message}`));

// A value in a JSON column keeps its names.
const plugins = [new CamelCasePlugin({ maintainNestedObjectKeys: true })];

/** The database for one request. Its queries are cancelled when nobody waits for the answer any more: the client left, or the request took too long. */
export function dbOf({ signal }: RequestContext): Kysely<Database> {
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: cancellable(pool, signal) }),
    plugins,
  });
}

/** Whether PostgreSQL refused a write because it breaks the constraint of that name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof DatabaseError && error.constraint === constraint;
}

/** Ties the database to the application: without one it does not start, and at its end it gives the connections back. */
export const database: Plugin = {
  name: "database",
  onStart: async () => {
    await pool.query("select 1");
  },
  onStop: () => pool.end(),
};
