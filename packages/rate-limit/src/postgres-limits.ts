import type { LimitStore } from "./limit-store.ts";

/** Part of a `pg` pool that the store uses. */
export interface LimitPool {
  query(text: string, values: unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** Options of {@link postgresLimits}. */
export interface PostgresLimitOptions {
  /** Name of the table, with or without a schema. Default `kit_rate_limits`. */
  readonly table?: string;
}

const tableForm = /^(?:[a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,48}$/;

/** Number of requests of one process after which the store removes windows that have ended, and their number. */
const removeEvery = 100;
const removedAtOnce = 200;

/**
 * Returns the SQL that creates the table of {@link postgresLimits}, for a migration. The table is not logged: its rows are
 * lost if PostgreSQL crashes, and replicas do not have them.
 *
 * @example
 * ```ts
 * console.log(limitTableSql());
 * ```
 * @throws {TypeError} If the name needs quotes.
 */
export function limitTableSql(table = "kit_rate_limits"): string {
  checkTable(table);
  const name = table.split(".").at(-1)!;
  return `CREATE UNLOGGED TABLE ${table} (
  key text PRIMARY KEY,
  count bigint NOT NULL,
  ends_at timestamptz(3) NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX ${name}_ends_at ON ${table} (ends_at);
`;
}

function checkTable(table: string): void {
  if (tableForm.test(table)) return;
  throw new TypeError(
    `postgresLimits: the name of the table must have lower-case letters, digits and underscores, such as api.limits, not ${JSON.stringify(table)}`,
  );
}

/**
 * Creates a store that counts in PostgreSQL, so that all processes and machines share the limits. Each request executes
 * one statement, which sometimes also removes windows that have ended. The application creates the table with the SQL
 * of {@link limitTableSql}.
 *
 * @param pool - Pool of `pg`, not the connection of a transaction: a transaction that is rolled back would not count. Set its
 * timeouts, so that requests do not wait for ever.
 * @example
 * ```ts
 * const pool = new Pool({ max: 4, connectionTimeoutMillis: 500, query_timeout: 500 });
 * pool.on("error", (error) => console.error(error.message));
 * export const limited = rateLimit({ limit: "100/min", store: postgresLimits(pool) });
 * ```
 * @throws {TypeError} If the name of the table needs quotes.
 */
export function postgresLimits(
  pool: LimitPool,
  { table = "kit_rate_limits" }: PostgresLimitOptions = {},
): LimitStore {
  checkTable(table);
  const count = `INSERT INTO ${table} AS known (key, count, ends_at) VALUES ($1, 1, now() + $2 * interval '1 ms')
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN known.ends_at <= now() THEN 1 ELSE known.count + 1 END,
      ends_at = CASE WHEN known.ends_at <= now() THEN excluded.ends_at ELSE known.ends_at END
    RETURNING count, greatest(1, ceil(extract(epoch FROM ends_at - now()) * 1000))::bigint AS rest`;
  // The statement must not delete the row that it counts in.
  const remove = `WITH ended AS (
      DELETE FROM ${table} WHERE key IN (
        SELECT key FROM ${table} WHERE ends_at < now() AND key <> $1 ORDER BY ends_at LIMIT ${removedAtOnce}
        FOR UPDATE SKIP LOCKED
      )
    ) ${count}`;
  let requests = 0;
  return {
    async count(key, windowMs) {
      requests = (requests + 1) % removeEvery;
      const { rows } = await pool.query(requests === 0 ? remove : count, [`${windowMs}:${key}`, windowMs]);
      const row = rows[0] as { readonly count?: unknown; readonly rest?: unknown } | undefined;
      // A pool may read a bigint as text, as a number or as a bigint.
      const found = { count: Number(row?.count), resetMs: Math.min(Number(row?.rest), windowMs) };
      if (Number.isFinite(found.count) && Number.isFinite(found.resetMs)) return found;
      throw new TypeError("The store of rate limits gave an answer that is not a count");
    },
  };
}
