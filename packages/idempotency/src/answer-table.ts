import type { StoredAnswer } from "@kit/core";
import { isTransactionConflict } from "@kit/core/pg";

/** Part of a `pg` pool that the table uses. */
export interface QueryablePool {
  query(
    text: string,
    values: unknown[],
  ): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>;
}

/** Answer in the table, with the fingerprint of its request. */
export interface KnownAnswer extends StoredAnswer {
  readonly fingerprint: string;
}

interface Row {
  readonly fingerprint: string;
  readonly status: number;
  readonly contentType: string | null;
  /** Names and values as JSON, because a pool may have a parser of its own for arrays. */
  readonly headers: string;
  readonly body: Uint8Array | null;
}

const tableForm = /^(?:[a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,48}$/;

/** Number of expired answers that one request removes. */
const removedAtOnce = 20;

/**
 * Returns the SQL that creates the table of `idempotent`, for a migration of your own.
 *
 * @param table - Name of the table, with or without a schema.
 * @example
 * ```ts
 * console.log(idempotencyTableSql());
 * ```
 * @throws {TypeError} If the name needs quotes.
 */
export function idempotencyTableSql(table = "kit_idempotency"): string {
  checkTable(table);
  const name = table.split(".").at(-1)!;
  return `CREATE TABLE ${table} (
  id text PRIMARY KEY,
  fingerprint text NOT NULL,
  status integer NOT NULL,
  content_type text,
  headers text NOT NULL,
  body bytea,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX ${name}_expires_at ON ${table} (expires_at);
`;
}

/** Checks the name of a table, which SQL contains without quotes. */
export function checkTable(table: string): void {
  if (tableForm.test(table)) return;
  throw new TypeError(
    `idempotent: the name of the table must have lower-case letters, digits and underscores, such as api.answers, not ${JSON.stringify(table)}`,
  );
}

class ConflictError extends Error {
  constructor() {
    super("Another request with this idempotency key was executed at the same time");
  }
}

/** Returns true if a transaction failed because of another one, such as one that stored an answer for the same key. */
export function isConflict(error: unknown): boolean {
  return error instanceof ConflictError || isTransactionConflict(error);
}

/** Answers in PostgreSQL. All queries belong to the transaction of the request. */
export class AnswerTable {
  readonly #pool: QueryablePool;
  readonly #table: string;

  constructor(pool: QueryablePool, table: string) {
    this.#pool = pool;
    this.#table = table;
  }

  /** Locks a key until the end of the transaction. Returns false if another transaction has locked it. */
  async lock(id: string): Promise<boolean> {
    const { rows } = await this.#pool.query(
      "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7146)) AS locked",
      [`${this.#table}:${id}`],
    );
    return (rows[0] as { locked: boolean }).locked;
  }

  /** Returns the answer of a key that has not expired. */
  async find(id: string): Promise<KnownAnswer | undefined> {
    const { rows } = await this.#pool.query(
      `SELECT fingerprint, status, content_type AS "contentType", headers, body FROM ${this.#table}
       WHERE id = $1 AND expires_at > now()`,
      [id],
    );
    const row = rows[0] as Row | undefined;
    if (row === undefined) return undefined;
    return { ...row, status: Number(row.status), headers: JSON.parse(row.headers) as string[] };
  }

  /**
   * Stores an answer, and removes some expired answers.
   *
   * @throws {ConflictError} If another transaction has stored an answer for this key.
   */
  async add(id: string, fingerprint: string, answer: StoredAnswer, ttlMs: number): Promise<void> {
    const { status, contentType, headers, body } = answer;
    const { rowCount } = await this.#pool.query(
      `INSERT INTO ${this.#table} AS known (id, fingerprint, status, content_type, headers, body, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms')
       ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
         content_type = excluded.content_type, headers = excluded.headers, body = excluded.body,
         expires_at = excluded.expires_at
       WHERE known.expires_at <= now()`,
      [id, fingerprint, status, contentType, JSON.stringify(headers), body, ttlMs],
    );
    if (rowCount !== 1) throw new ConflictError();
    await this.#pool.query(
      `DELETE FROM ${this.#table} WHERE id IN (
         SELECT id FROM ${this.#table} WHERE expires_at < now() ORDER BY expires_at LIMIT ${removedAtOnce}
         FOR UPDATE SKIP LOCKED
       )`,
      [],
    );
  }
}
