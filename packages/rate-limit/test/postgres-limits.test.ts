// Tests the store of rate limits with a real PostgreSQL.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import type { Middleware } from "@kit/core";
import { createTestDatabase, type TestDatabase } from "@kit/dev-database";
import { limitTableSql, postgresLimits, rateLimit } from "@kit/rate-limit";
import { Pool } from "pg";

import { type Running, start } from "../../auth/test/support/application.ts";

/** Starts an application with a limit. */
function application(limited: Middleware): Promise<Running> {
  return start(
    { "GET /": () => ({ text: "ok" }) },
    { middleware: [{ name: "limited", middleware: limited, priority: 0 }] },
  );
}

describe("postgresLimits", { timeout: 60_000 }, () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url, max: 10, connectionTimeoutMillis: 2000 });
    await pool.query(limitTableSql());
  });
  after(async () => {
    await pool?.end();
    await database?.[Symbol.asyncDispose]();
  });
  beforeEach(() => pool.query("truncate kit_rate_limits"));

  it("counts the requests of a client in a window, and begins again after its end", async () => {
    const [one, other] = [postgresLimits(pool), postgresLimits(pool)];
    const first = await one.count("ada", 1000);
    assert.deepEqual(first, { count: 1, resetMs: 1000 });
    const second = await other.count("ada", 1000);
    assert.equal(second.count, 2);
    assert.ok(second.resetMs >= 1 && second.resetMs <= 1000, String(second.resetMs));
    assert.equal((await one.count("bob", 1000)).count, 1);
    // Another length of the window is another count.
    assert.equal((await one.count("ada", 60_000)).count, 1);
    await wait(1050);
    assert.deepEqual(await other.count("ada", 1000), { count: 1, resetMs: 1000 });
  });

  it("counts every one of many requests at the same time", async () => {
    const stores = [postgresLimits(pool), postgresLimits(pool)];
    const counts = await Promise.all(
      Array.from({ length: 300 }, (_, index) => stores[index % 2]!.count("ada", 60_000)),
    );
    assert.deepEqual(
      counts.map(({ count }) => count).toSorted((a, b) => a - b),
      Array.from({ length: 300 }, (_, index) => index + 1),
    );
  });

  it("removes windows that have ended, and never the one in which it counts", async () => {
    await pool.query(
      "insert into kit_rate_limits select 'old ' || n, 7, now() - interval '1 s' from generate_series(1, 250) n",
    );
    await pool.query("insert into kit_rate_limits values ('60000:ada', 7, now() - interval '1 h')");
    const store = postgresLimits(pool);
    for (let request = 1; request <= 99; request += 1) {
      // oxlint-disable-next-line no-await-in-loop -- the hundredth request removes the windows
      await store.count("bob", 60_000);
    }
    assert.equal((await store.count("ada", 60_000)).count, 1);
    const { rows } = await pool.query("select count(*)::int as n from kit_rate_limits");
    assert.deepEqual(rows, [{ n: 52 }]);
  });

  it("rateLimit refuses requests above the limit, and counts in memory while the table is missing", async () => {
    const limited = rateLimit({ limit: "2/min", store: postgresLimits(pool) });
    await using app = await application(limited);
    const send = async (): Promise<number> => (await app.send("/")).status;
    assert.deepEqual([await send(), await send(), await send()], [200, 200, 429]);

    const missing = rateLimit({ limit: "1/min", store: postgresLimits(pool, { table: "no_such_table" }) });
    await using other = await application(missing);
    assert.deepEqual([(await other.send("/")).status, (await other.send("/")).status], [200, 429]);
    assert.ok(other.log.some(({ message }) => message === "The store of rate limits cannot be reached"));
  });

  it("refuses names of tables that need quotes", () => {
    for (const table of ["Limits", "a;b", "a.b.c", "1a", ""]) {
      assert.throws(
        () => postgresLimits(pool, { table }),
        /the name of the table must have lower-case letters/,
      );
      assert.throws(() => limitTableSql(table), TypeError);
    }
    assert.match(limitTableSql("api.limits"), /CREATE INDEX limits_ends_at ON api\.limits/);
  });
});
