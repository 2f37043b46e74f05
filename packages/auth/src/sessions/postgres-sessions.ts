import type { SessionStore, StoredSession } from "./session-store.ts";

/** Part of a `pg` pool that the store uses. */
export interface PostgresPool {
  query(
    text: string,
    values: unknown[],
  ): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>;
}

/** Options of {@link postgresSessions}. */
export interface PostgresSessionOptions {
  /** Name of the table, with or without a schema. Default `kit_sessions`. */
  readonly table?: string;
}

/** Store of sessions in PostgreSQL. */
export interface PostgresSessionStore extends SessionStore {
  /** Removes up to 1,000 sessions that have ended, and resolves to their number. Call it once in a while. */
  deleteEnded(): Promise<number>;
}

const tableForm = /^(?:[a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,48}$/;

/**
 * Returns the SQL that creates the table of {@link postgresSessions}, for a migration of your own.
 *
 * @example
 * ```ts
 * console.log(sessionTableSql());
 * ```
 * @throws {TypeError} If the name needs quotes.
 */
export function sessionTableSql(table = "kit_sessions"): string {
  checkTable(table);
  const name = table.split(".").at(-1)!;
  return `CREATE TABLE ${table} (
  id text PRIMARY KEY,
  subject text NOT NULL,
  data text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  idle_until timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX ${name}_subject ON ${table} (subject);
CREATE INDEX ${name}_idle_until ON ${table} (idle_until);
`;
}

/**
 * Creates a store of sessions in PostgreSQL. The application creates the table with the SQL of {@link sessionTableSql}.
 * While the database cannot be reached, requests with a session get 503.
 *
 * @param pool - Pool of `pg`, or another object with such a function `query`.
 * @example
 * ```ts
 * const pool = new Pool({ max: 10, connectionTimeoutMillis: 2000 });
 * pool.on("error", (error) => console.error(error.message));
 * const sessions = createSessions({ store: postgresSessions(pool) });
 * ```
 * @throws {TypeError} If the name of the table needs quotes.
 */
export function postgresSessions(
  pool: PostgresPool,
  { table = "kit_sessions" }: PostgresSessionOptions = {},
): PostgresSessionStore {
  checkTable(table);
  return {
    async create({ id, subject, data, createdAt, seenAt, expiresAt }, idleMs) {
      await pool.query(
        `INSERT INTO ${table} (id, subject, data, created_at, seen_at, idle_until, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, subject, data, createdAt, seenAt, idleUntil(seenAt, idleMs, expiresAt), expiresAt],
      );
    },
    async read(id) {
      const { rows } = await pool.query(
        `SELECT id, subject, data, created_at AS "createdAt", seen_at AS "seenAt", expires_at AS "expiresAt"
         FROM ${table} WHERE id = $1`,
        [id],
      );
      const row = rows[0] as StoredSession | undefined;
      if (row === undefined) return null;
      // A pool may have a parser of its own, which leaves times as texts.
      const { createdAt, seenAt, expiresAt } = row;
      return {
        ...row,
        createdAt: new Date(createdAt),
        seenAt: new Date(seenAt),
        expiresAt: new Date(expiresAt),
      };
    },
    async touch(id, seenAt, idleMs) {
      await pool.query(
        `UPDATE ${table} SET seen_at = $2, idle_until = least($3, expires_at) WHERE id = $1 AND seen_at < $2`,
        [id, seenAt, new Date(seenAt.getTime() + idleMs)],
      );
    },
    async update(id, data) {
      await pool.query(`UPDATE ${table} SET data = $2 WHERE id = $1`, [id, data]);
    },
    async rename(id, next, seenAt, idleMs) {
      // The row stays the same, so that a simultaneous `deleteAll` waits for this statement and removes the row afterwards.
      const { rowCount } = await pool.query(
        `UPDATE ${table} SET id = $2, seen_at = $3, idle_until = least($4, expires_at) WHERE id = $1`,
        [id, next, seenAt, new Date(seenAt.getTime() + idleMs)],
      );
      return rowCount === 1;
    },
    async delete(id) {
      await pool.query(`DELETE FROM ${table} WHERE id = $1`, [id]);
    },
    async deleteAll(subject, except) {
      await pool.query(`DELETE FROM ${table} WHERE subject = $1 AND id IS DISTINCT FROM $2`, [
        subject,
        except ?? null,
      ]);
    },
    async deleteEnded() {
      const { rowCount } = await pool.query(
        `DELETE FROM ${table} WHERE id IN (
           SELECT id FROM ${table} WHERE idle_until < $1 ORDER BY idle_until LIMIT 1000 FOR UPDATE SKIP LOCKED
         )`,
        [new Date()],
      );
      return rowCount ?? 0;
    },
  };
}

function idleUntil(seenAt: Date, idleMs: number, expiresAt: Date): Date {
  return new Date(Math.min(seenAt.getTime() + idleMs, expiresAt.getTime()));
}

function checkTable(table: string): void {
  if (tableForm.test(table)) return;
  throw new TypeError(
    `postgresSessions: the name of the table must have lower-case letters, digits and underscores, such as auth.sessions, not ${JSON.stringify(table)}`,
  );
}
