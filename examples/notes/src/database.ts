import type { Plugin, RequestContext } from "@kit/core";
import { cancellable } from "@kit/core/pg";
import { drizzle } from "drizzle-orm/node-postgres";
import { Pool } from "pg";

/** `DATABASE_URL`, or during development the PostgreSQL that kit runs for this project. */
async function connectionString(): Promise<string> {
  const url = process.env["DATABASE_URL"]?.trim();
  if (url !== undefined && url !== "") return url;
  const { databaseUrl } = await import("@kit/dev-database");
  return databaseUrl();
}

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

/** The database for one request. Its queries are cancelled when nobody waits for the answer any more: the client left, or the request took too long. */
export function dbOf({ signal }: RequestContext) {
  return drizzle(cancellable(pool, signal));
}

/** Ties the database to the application: without one it does not start, and at its end it gives the connections back. */
export const database: Plugin = {
  name: "database",
  onStart: async () => {
    await pool.query("select 1");
  },
  onStop: () => pool.end(),
};
