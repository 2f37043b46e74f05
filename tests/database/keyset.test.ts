// Tests `defineKeyset` of `@kit/core/keyset` with drizzle, Kysely and `pg` on PostgreSQL: pages with cursors contain each row once.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";

import { defineKeyset, type Keyset, type KeysetOptions, textSql } from "@kit/core/keyset";
import { createTestDatabase } from "@kit/dev-database";
import type { Cursor, CursorQuery } from "@kit/types";
import { and, eq, getTableColumns, sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { Kysely, PostgresDialect, type SqlBool, sql as kyselySql } from "kysely";
import { Pool } from "pg";

interface Row {
  id: string;
  title: string;
  author: string;
}

interface Query extends CursorQuery {
  author?: string;
}

type List = (keyset: Keyset, query: Query) => Promise<Cursor<Row>>;

const items = pgTable("items", {
  id: uuid().primaryKey(),
  title: text().notNull(),
  author: text().notNull(),
  number: integer().notNull(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
});

interface Tables {
  items: Row & { number: number; created_at: Date };
}

const NEWEST: KeysetOptions = {
  list: "items",
  order: "desc",
  columns: { "items.created_at": "timestamptz", "items.id": "uuid" },
};

/** Lists of the same rows, one for each library. */
function listsOf(pool: Pool): Readonly<Record<string, List>> {
  const drizzleDb = drizzle(pool);
  const kyselyDb = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    drizzle: async (keyset, query) => {
      const page = keyset.page(query);
      const { id, title, author } = getTableColumns(items);
      const rows = await drizzleDb
        .select({ id, title, author, cursorKey: page.key(drizzleSql<string>) })
        .from(items)
        .where(
          and(
            query.author === undefined ? undefined : eq(items.author, query.author),
            page.where(drizzleSql),
          ),
        )
        .orderBy(page.orderBy(drizzleSql))
        .limit(page.limit);
      return page.of(rows);
    },
    kysely: async (keyset, query) => {
      const page = keyset.page(query);
      let statement = kyselyDb
        .selectFrom("items")
        .select(["id", "title", "author"])
        .select(page.key(kyselySql<string>).as("cursorKey"))
        .where(page.where(kyselySql<SqlBool>))
        .orderBy(page.orderBy(kyselySql))
        .limit(page.limit);
      if (query.author !== undefined) statement = statement.where("author", "=", query.author);
      return page.of(await statement.execute());
    },
    pg: async (keyset, query) => {
      const page = keyset.page(query);
      const values: unknown[] = [query.author ?? null];
      const sql = textSql(values);
      const { rows } = await pool.query<Row & { cursorKey: string }>(
        `SELECT id, title, author, ${page.key(sql)} AS "cursorKey" FROM items
         WHERE ($1::text IS NULL OR author = $1) AND ${page.where(sql)}
         ORDER BY ${page.orderBy(sql)} LIMIT ${page.limit}`,
        values,
      );
      return page.of(rows);
    },
  };
}

/** Returns the titles of all pages, and calls `between` after each page. */
async function titles(
  list: (query: Query) => Promise<Cursor<Row>>,
  query: Query,
  between?: (page: number) => Promise<unknown>,
): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; ; page += 1) {
    assert.ok(page < 1000, "the list ends");
    const { data, next } = await list(cursor === undefined ? query : { ...query, cursor });
    found.push(...data.map(({ title }) => title));
    if (next === undefined) return found;
    cursor = next;
    await between?.(page);
  }
}

const NAMES = ["drizzle", "kysely", "pg"];

describe("pages of defineKeyset()", { timeout: 120_000 }, () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: Pool;
  let lists: Readonly<Record<string, List>>;

  before(async () => {
    database = await createTestDatabase();
    pool = new Pool({
      connectionString: database.url,
      options: "-c TimeZone=Asia/Tokyo -c DateStyle=German",
    });
    lists = listsOf(pool);
    await pool.query(
      `CREATE TABLE items (id uuid PRIMARY KEY, title text NOT NULL, author text NOT NULL, number integer NOT NULL,
         created_at timestamptz NOT NULL, big bigint, price double precision, day date, local timestamp)`,
    );
  });
  after(async () => {
    await pool?.end();
    await database?.[Symbol.asyncDispose]();
  });

  /** Inserts 30 rows: groups of 3 rows with equal times, one microsecond apart. */
  beforeEach(async () => {
    await pool.query("TRUNCATE items");
    await pool.query(
      `INSERT INTO items SELECT gen_random_uuid(), 'item ' || n, CASE n % 2 WHEN 0 THEN 'ada' ELSE 'bob' END, n,
         '2026-01-31T12:00:00.123456Z'::timestamptz + (n / 3) * interval '1 microsecond',
         9007199254740993 + n, n / 7.0, '2026-01-31'::date + n,
         '2026-01-31T12:00:00.000001'::timestamp + n * interval '1 microsecond'
       FROM generate_series(0, 29) n`,
    );
  });

  const listOf = (name: string): List => {
    const list = lists[name];
    assert.ok(list);
    return list;
  };

  const ordered = async (sort: string): Promise<string[]> => {
    const { rows } = await pool.query<Row>(`SELECT title FROM items ORDER BY ${sort}`);
    return rows.map(({ title }) => title);
  };

  for (const name of NAMES) {
    it(`contain each row once in order with ${name}, if times differ by a microsecond`, async () => {
      const expected = await ordered("created_at DESC, id DESC");
      const keyset = defineKeyset(NEWEST);
      for (const limit of [1, 2, 4, 29, 30, 31]) {
        assert.deepEqual(await titles((query) => listOf(name)(keyset, query), { limit }), expected);
      }
    });

    it(`have the rows of the filter only, with ${name}`, async () => {
      const found = await titles((query) => listOf(name)(defineKeyset(NEWEST), query), {
        limit: 4,
        author: "ada",
      });
      assert.equal(found.length, 15);
    });

    it(`lead back to the first page with ${name}`, async () => {
      const keyset = defineKeyset(NEWEST);
      const read = listOf(name);
      const first = await read(keyset, { limit: 7 });
      assert.ok(first.next);
      assert.equal(first.previous, undefined);
      const second = await read(keyset, { limit: 7, cursor: first.next });
      assert.ok(second.next);
      const third = await read(keyset, { limit: 7, cursor: second.next });
      assert.ok(third.previous);
      const secondAgain = await read(keyset, { limit: 7, cursor: third.previous });
      assert.deepEqual(secondAgain, second);
      assert.ok(secondAgain.previous);
      assert.deepEqual(await read(keyset, { limit: 7, cursor: secondAgain.previous }), first);
    });
  }

  it("have no cursor and no key in their items, if all rows fit on one page", async () => {
    const page = await listOf("pg")(defineKeyset(NEWEST), { limit: 30 });
    assert.deepEqual(Object.keys(page), ["data"]);
    assert.deepEqual(Object.keys(page.data[0] ?? {}), ["id", "title", "author"]);
  });

  it("contain each row once, if rows are inserted and deleted between the pages", async () => {
    const expected = await ordered("created_at DESC, id DESC");
    const found = await titles(
      (query) => listOf("pg")(defineKeyset(NEWEST), query),
      { limit: 3 },
      async (page) => {
        await pool.query(
          `INSERT INTO items SELECT gen_random_uuid(), 'new', 'ada', 0, now() + n * interval '1 s' FROM generate_series(1, 5) n`,
        );
        // The row that the cursor names is deleted, and every row before it.
        await pool.query("DELETE FROM items WHERE title = ANY($1)", [expected.slice(0, (page + 1) * 3)]);
      },
    );
    assert.deepEqual(found, expected);
  });

  for (const [column, type] of [
    ["number", "integer"],
    ["big", "bigint"],
    ["price", "double precision"],
    ["day", "date"],
    ["local", "timestamp"],
    ["title", "text"],
  ] as const) {
    for (const order of ["asc", "desc"] as const) {
      it(`are sorted by a column of the type ${type}, ${order}`, async () => {
        const keyset = defineKeyset({ list: "items", order, columns: { [column]: type, id: "uuid" } });
        const expected = await ordered(`${column} ${order}, id ${order}`);
        assert.deepEqual(await titles((query) => listOf("pg")(keyset, query), { limit: 4 }), expected);
      });
    }
  }

  it("read only the rows of the page from the index", async () => {
    await pool.query("CREATE INDEX by_time ON items (created_at, id)");
    const first = await listOf("pg")(defineKeyset(NEWEST), { limit: 3 });
    assert.ok(first.next);
    const page = defineKeyset(NEWEST).page({ limit: 3, cursor: first.next });
    const values: unknown[] = [];
    const sql = textSql(values);
    const client = await pool.connect();
    try {
      await client.query("SET enable_seqscan = off");
      const { rows } = await client.query<{ "QUERY PLAN": string }>(
        `EXPLAIN SELECT id FROM items WHERE ${page.where(sql)} ORDER BY ${page.orderBy(sql)} LIMIT ${page.limit}`,
        values,
      );
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      assert.match(plan, /Index (?:Only )?Scan Backward using by_time/);
      assert.match(plan, /Index Cond: \(ROW\(created_at, id\) < ROW\(/);
      assert.doesNotMatch(plan, /Sort/);
    } finally {
      client.release(true);
      await pool.query("DROP INDEX by_time");
    }
  });

  it("fail with the name of the column, if a row has NULL in a column of the key", async () => {
    await pool.query("UPDATE items SET day = NULL WHERE number = 3");
    const keyset = defineKeyset({ list: "items", order: "desc", columns: { day: "date", id: "uuid" } });
    await assert.rejects(listOf("pg")(keyset, {}), /the column "day" of the list items contains NULL/);
  });

  it("fail if two rows have the same key", async () => {
    const keyset = defineKeyset({ list: "items", order: "desc", columns: { created_at: "timestamptz" } });
    await assert.rejects(listOf("pg")(keyset, {}), /the last column of a keyset must be unique/);
  });
});
