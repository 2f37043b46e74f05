import type { Plugin, RequestContext } from "@kit/core";
import { cancellable } from "@kit/core/pg";
import { defaults, Pool, types } from "pg";
import { configure } from "../.kit/schemas/database.ts";

/** Returns `DATABASE_URL`, or in development the URL of the PostgreSQL that kit runs for this project. */
async function connectionString(): Promise<string> {
  const url = process.env["DATABASE_URL"]?.trim();
  if (url !== undefined && url !== "") return url;
  if (process.env["NODE_ENV"] === "production") {
    throw new Error(
      "DATABASE_URL is not set; set it to the URL of the database, postgres://user:password@host:5432/name",
    );
  }
  const { databaseUrl } = await import("@kit/dev-database");
  return databaseUrl();
}

// `pg` then reads values as the generated types declare.
configure({ defaults, types });

const pool = new Pool({
  connectionString: await connectionString(),
  // Times are in UTC, independent of the server's time zone.
  options: "-c TimeZone=UTC",
  // Maximum time that a request waits for a connection if PostgreSQL is down or busy. The response is then 503.
  connectionTimeoutMillis: 5_000,
  // PostgreSQL cancels a statement that takes longer than a request may take.
  statement_timeout: 30_000,
});

// A connection that breaks while it is idle, for example because the database restarts, is replaced at the next query.
pool.on("error", (error) => console.error(`database: ${error.message}`));

/**
 * The database for one request: `await dbOf(ctx).query<Row>("select … where id = $1", [id])`. Its queries are cancelled if the client
 * disconnects or the request takes too long. `.kit/schemas/` has the rows, columns and statements that `kit build` generates from the
 * types with `@table`.
 */
export function dbOf({ signal }: RequestContext): Pool {
  return cancellable(pool, signal);
}

/** Connects the database to the application: it does not start without the database, and closes the connections when it stops. */
export const database: Plugin = {
  name: "database",
  onStart: async () => {
    await pool.query("select 1");
  },
  onStop: () => pool.end(),
};
