import type { Plugin, RequestContext } from "@kit/core";
import { cancellable } from "@kit/core/pg";
import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import { defaults, Pool, types } from "pg";
import { type CamelDatabase, configure } from "../.kit/schemas/database.ts";

/** `DATABASE_URL`, or during development the PostgreSQL that kit runs for this project. */
async function connectionString(): Promise<string> {
  const url = process.env["DATABASE_URL"]?.trim();
  if (url !== undefined && url !== "") return url;
  if (process.env["NODE_ENV"] === "production") {
    throw new Error(
      "DATABASE_URL is not set: it names the database, postgres://user:password@host:5432/name",
    );
  }
  const { databaseUrl } = await import("@kit/dev-database");
  return databaseUrl();
}

// Values come as the generated types say.
configure({ defaults, types });

const pool = new Pool({
  connectionString: await connectionString(),
  // Times come in UTC, wherever the server stands.
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

/**
 * The database for one request, in camel case; `kit build` makes the tables' types of those with `@table`. Its queries are cancelled
 * when nobody waits for the answer any more: the client left, or the request took too long.
 */
export function dbOf({ signal }: RequestContext): Kysely<CamelDatabase> {
  return new Kysely<CamelDatabase>({
    dialect: new PostgresDialect({ pool: cancellable(pool, signal) }),
    plugins,
  });
}

/** Ties the database to the application: without one it does not start, and at its end it gives the connections back. */
export const database: Plugin = {
  name: "database",
  onStart: async () => {
    await pool.query("select 1");
  },
  onStop: () => pool.end(),
};
