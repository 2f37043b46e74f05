// Tests that a list with cursors has each row once while four clients write: a row that was committed before the first page
// is on exactly one page, and no row is on two. `KIT_RUNS` is the number of runs.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { defineKeyset, type Keyset, type KeysetPage, textSql } from "@kit/core/keyset";
import { createTestDatabase } from "@kit/dev-database";
import type { Cursor } from "@kit/types";
import { Pool } from "pg";

const RUNS = Number(process.env["KIT_RUNS"] ?? 4);
const WRITERS = 4;
const ROWS = 300;
const LIMIT = 7;

interface Row {
  id: string;
}

/** Writes until the signal aborts, and calls `wrote` after each turn: inserts rows, some of them in transactions that commit later, changes rows, and deletes its own rows. */
async function write(pool: Pool, signal: AbortSignal, wrote: () => void): Promise<void> {
  const client = await pool.connect();
  let written = 0;
  try {
    while (!signal.aborted) {
      await client.query("BEGIN");
      const { rows } = await client.query<Row>(
        "INSERT INTO items SELECT gen_random_uuid(), now(), 'new' FROM generate_series(1, 3) RETURNING id",
      );
      await client.query("UPDATE items SET title = title || '.' WHERE id = (SELECT id FROM items LIMIT 1)");
      if (written % 4 === 0) await sleep(5);
      await client.query("COMMIT");
      await client.query("DELETE FROM items WHERE id = $1", [rows[0]?.id]);
      // Rows between the rows of the list.
      await client.query(
        "INSERT INTO items SELECT gen_random_uuid(), created_at, 'between' FROM items WHERE title LIKE 'first%' ORDER BY random() LIMIT 1",
      );
      written += 1;
      wrote();
    }
  } finally {
    client.release(true);
  }
}

async function read(pool: Pool, page: KeysetPage): Promise<Cursor<Row>> {
  const values: unknown[] = [];
  const sql = textSql(values);
  const { rows } = await pool.query<Row & { cursorKey: string }>(
    `SELECT id, ${page.key(sql)} AS "cursorKey" FROM items WHERE ${page.where(sql)} ORDER BY ${page.orderBy(sql)} LIMIT ${page.limit}`,
    values,
  );
  return page.of(rows);
}

/** Returns the ids on all pages. */
async function idsOf(pool: Pool, keyset: Keyset): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = keyset.page(cursor === undefined ? { limit: LIMIT } : { limit: LIMIT, cursor });
    // oxlint-disable-next-line no-await-in-loop -- each page has the cursor of the next page
    const { data, next } = await read(pool, page);
    ids.push(...data.map(({ id }) => id));
    cursor = next;
    // In ascending order, the writers add rows at the end for as long as they run.
  } while (cursor !== undefined && ids.length < ROWS * 20);
  return ids;
}

describe("a list with cursors and four writers", { timeout: 60_000 + RUNS * 10_000 }, () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url, max: WRITERS + 2 });
    await pool.query(
      "CREATE TABLE items (id uuid PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), title text NOT NULL)",
    );
    await pool.query("CREATE INDEX by_time ON items (created_at, id)");
  });
  after(async () => {
    await pool?.end();
    await database?.[Symbol.asyncDispose]();
  });

  for (const order of ["desc", "asc"] as const) {
    it(`has each row of the beginning exactly once, sorted by time ${order}, in ${RUNS} runs`, async () => {
      const keyset = defineKeyset({
        list: "items",
        order,
        columns: { created_at: "timestamptz", id: "uuid" },
      });
      for (let run = 0; run < RUNS; run += 1) {
        await pool.query("TRUNCATE items");
        // Groups of ten rows have the same time, and groups are one microsecond apart.
        await pool.query(
          `INSERT INTO items SELECT gen_random_uuid(), now() - interval '1 s' + (n / 10) * interval '1 microsecond', 'first'
           FROM generate_series(1, ${ROWS}) n`,
        );
        const stop = new AbortController();
        const began = Array.from({ length: WRITERS }, () => Promise.withResolvers<void>());
        const writers = began.map(({ resolve }) => write(pool, stop.signal, resolve));
        try {
          // A writer that fails before its first turn ends the wait.
          await Promise.race([Promise.all(began.map(({ promise }) => promise)), Promise.all(writers)]);
          const { rows } = await pool.query<Row>("SELECT id FROM items WHERE title LIKE 'first%'");
          const committed = await pool.query<Row>("SELECT id FROM items WHERE title LIKE 'between%'");
          const ids = await idsOf(pool, keyset);
          const seen = new Set(ids);
          assert.equal(seen.size, ids.length, `run ${run}: no row is on two pages`);
          const lost = [...rows, ...committed.rows].filter(({ id }) => !seen.has(id));
          assert.deepEqual(lost, [], `run ${run}: no row of the beginning is missing`);
          assert.equal(rows.length, ROWS);
        } finally {
          stop.abort();
          await Promise.all(writers);
        }
      }
    });
  }
});
