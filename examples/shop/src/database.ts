import type { Plugin } from "@kit/core";
import { cancellable } from "@kit/core/pg";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { drizzle } from "drizzle-orm/node-postgres";
import { DatabaseError, Pool } from "pg";

/** Part of a context that services need: the context of a request, or of a transaction. */
export interface Caller {
  readonly signal: AbortSignal;
}

/** Returns `DATABASE_URL`, or during development the URL of the PostgreSQL that kit runs for this project. */
async function connectionString(): Promise<string> {
  const url = process.env["DATABASE_URL"]?.trim();
  if (url !== undefined && url !== "") return url;
  const { databaseUrl } = await import("@kit/dev-database");
  return databaseUrl();
}

/** Connections of the process. Requests use {@link dbOf}. */
export const pool = new Pool({
  connectionString: await connectionString(),
  // Maximum time that a request waits for a connection if PostgreSQL is down or busy. Then the response is 503.
  connectionTimeoutMillis: 5_000,
  // PostgreSQL cancels statements that take longer than this.
  statement_timeout: 30_000,
});

// If an idle connection breaks, for example because the database restarts, the pool replaces it at the next query.
pool.on("error", (error) => console.error(`database: ${error.message}`));

/**
 * Returns the database for one request, or for one transaction. Its queries are cancelled if the client disconnects or the
 * request times out.
 */
export function dbOf({ signal }: Caller) {
  return drizzle(cancellable(pool, signal));
}

/**
 * Connects the database to the lifecycle of the application: the application does not start without a database, and closes all connections
 * at shutdown.
 */
export const database: Plugin = {
  name: "database",
  onStart: async () => {
    await pool.query("select 1");
  },
  onStop: () => pool.end(),
};

/** Returns true if PostgreSQL refused a write because it violates the given constraint. */
export function violates(error: unknown, constraint: string): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof DatabaseError && cause.constraint === constraint;
}
