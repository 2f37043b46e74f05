// tidy: long because all tests share one server and its helpers
// Tests `transaction` and `requestTransaction` of `@kit/core/pg` on PostgreSQL, with `pg`, drizzle and Kysely.
// tidy: long because every case needs the same server, pools and drivers.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { cancellable, requestTransaction, transaction } from "@kit/core/pg";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { Kysely, PostgresDialect, sql as kyselySql } from "kysely";
import { Pool } from "pg";

import { Cluster, until } from "./support/cluster.ts";

interface Context {
  readonly signal: AbortSignal;
  readonly user: string;
}

const gone = new Error("Nobody waits any more");

/** Returns the SQLSTATE of an error, also if a query builder has wrapped the error. */
function stateOf(error: unknown): unknown {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code ?? (cause === undefined ? undefined : stateOf(cause));
}

/** Ways in which a service inserts a row, as projects with these libraries do. */
const libraries: Record<string, (pool: Pool, ctx: Context, id: number) => Promise<unknown>> = {
  pg: (pool, ctx, id) => cancellable(pool, ctx.signal).query("insert into kept values ($1)", [id]),
  drizzle: (pool, ctx, id) =>
    drizzle(cancellable(pool, ctx.signal)).execute(drizzleSql`insert into kept values (${id})`),
  Kysely: (pool, ctx, id) =>
    kyselySql`insert into kept values (${id})`.execute(
      new Kysely<object>({ dialect: new PostgresDialect({ pool: cancellable(pool, ctx.signal) }) }),
    ),
};

/** Transactions of the libraries themselves, which insert a row and then fail if asked. */
const ownTransactions: Record<
  string,
  (pool: Pool, ctx: Context, id: number, fails: boolean) => Promise<unknown>
> = {
  drizzle: (pool, ctx, id, fails) =>
    drizzle(cancellable(pool, ctx.signal)).transaction(async (own) => {
      await own.execute(drizzleSql`insert into kept values (${id})`);
      if (fails) throw gone;
    }),
  Kysely: (pool, ctx, id, fails) =>
    new Kysely<object>({ dialect: new PostgresDialect({ pool: cancellable(pool, ctx.signal) }) })
      .transaction()
      .execute(async (own) => {
        await kyselySql`insert into kept values (${id})`.execute(own);
        if (fails) throw gone;
      }),
};

describe("transaction()", { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let pool: Pool;
  let controller: AbortController;
  let ctx: Context;
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.message);

  before(async () => {
    process.on("warning", onWarning);
    cluster = await Cluster.start();
    await cluster.query("create table kept (id int primary key)");
  });
  after(async () => {
    process.off("warning", onWarning);
    assert.deepEqual(warnings, []);
    await cluster?.remove();
  });
  beforeEach(async () => {
    await cluster.query("truncate kept");
    pool = new Pool({ connectionString: cluster.url, max: 2 });
    controller = new AbortController();
    ctx = { signal: controller.signal, user: "Ada" };
  });
  afterEach(() => pool.end());

  const kept = async (): Promise<unknown[]> =>
    (await cluster.query("select id from kept order by id")).map(({ id }) => id);
  const insert = (tx: Context, id: number) => libraries["pg"]!(pool, tx, id);
  const isClean = async (): Promise<void> => {
    await until(() => pool.idleCount === pool.totalCount, "the connections to come back");
    assert.deepEqual((await pool.query("select 1 as n")).rows, [{ n: 1 }]);
    assert.deepEqual(
      await cluster.query("select 1 as n from pg_stat_activity where state like 'idle in transaction%'"),
      [],
    );
  };

  for (const [name, write] of Object.entries(libraries)) {
    it(`commits the queries of several services with ${name}, and returns the result`, async () => {
      const result = await transaction(ctx, pool, async (tx) => {
        await write(pool, tx, 1);
        await write(pool, tx, 2);
        assert.deepEqual(await kept(), [], "another connection sees nothing yet");
        return tx.user;
      });
      assert.equal(result, "Ada");
      assert.deepEqual(await kept(), [1, 2]);
      await isClean();
    });

    it(`rolls back the queries of several services with ${name} if the function throws`, async () => {
      await assert.rejects(
        transaction(ctx, pool, async (tx) => {
          await write(pool, tx, 1);
          await write(pool, tx, 2);
          throw gone;
        }),
        gone,
      );
      assert.deepEqual(await kept(), []);
      await isClean();
    });

    it(`runs queries of ${name} with the context of the request outside of the transaction`, async () => {
      await assert.rejects(
        transaction(ctx, pool, async (tx) => {
          await write(pool, tx, 1);
          await write(pool, ctx, 2);
          throw gone;
        }),
        gone,
      );
      assert.deepEqual(await kept(), [2]);
    });
  }

  for (const [name, write] of Object.entries(ownTransactions)) {
    it(`makes a transaction of ${name} a part of the whole`, async () => {
      await assert.rejects(
        transaction(ctx, pool, async (tx) => {
          await write(pool, tx, 1, false);
          throw gone;
        }),
        gone,
      );
      assert.deepEqual(await kept(), []);
      await transaction(ctx, pool, async (tx) => {
        await insert(tx, 1);
        await assert.rejects(write(pool, tx, 2, true), gone);
        await write(pool, tx, 3, false);
      });
      assert.deepEqual(await kept(), [1, 3]);
    });

    it(`refuses a transaction of ${name} that ends in the middle of another`, async () => {
      const outcome = transaction(ctx, pool, async (tx) => {
        const results = await Promise.allSettled([write(pool, tx, 1, false), write(pool, tx, 2, false)]);
        const failed = results.find((result) => result.status === "rejected");
        assert.match(String(failed?.reason.cause ?? failed?.reason), /ran at the same time/);
        throw gone;
      });
      await assert.rejects(outcome, gone);
      assert.deepEqual(await kept(), []);
      await isClean();
    });
  }

  it("refuses modes of a transaction inside of another", async () => {
    await assert.rejects(
      transaction(ctx, pool, (tx) =>
        drizzle(cancellable(pool, tx.signal)).transaction(async () => {}, { isolationLevel: "serializable" }),
      ),
      (error: Error) => /pass `isolation` to the outermost call/.test(String(error.cause ?? error)),
    );
    await isClean();
  });

  it("undoes only the inner call if it throws, and the caller continues", async () => {
    await transaction(ctx, pool, async (tx) => {
      await insert(tx, 1);
      await assert.rejects(
        transaction(tx, pool, async (inner) => {
          await insert(inner, 2);
          await insert(inner, 1);
        }),
        { code: "23505" },
      );
      await transaction(tx, pool, (inner) => insert(inner, 3));
    });
    assert.deepEqual(await kept(), [1, 3]);
  });

  it("accepts the view of a pool", async () => {
    const view = cancellable(pool, controller.signal);
    await assert.rejects(
      transaction(ctx, view, async (tx) => {
        await cancellable(view, tx.signal).query("insert into kept values (1)");
        throw gone;
      }),
      gone,
    );
    assert.deepEqual(await kept(), []);
  });

  it("transactions on two pools are independent", async () => {
    const other = new Pool({ connectionString: cluster.url, max: 1 });
    await assert.rejects(
      transaction(ctx, pool, async (tx) => {
        await transaction(tx, other, async (inner) => {
          await libraries["pg"]!(other, inner, 1);
          await insert(inner, 2);
        });
        throw gone;
      }),
      gone,
    );
    assert.deepEqual(await kept(), [1]);
    await other.end();
  });

  it("runs parallel queries after each other", async () => {
    await transaction(ctx, pool, (tx) => Promise.all([1, 2, 3, 4].map((id) => insert(tx, id))));
    assert.deepEqual(await kept(), [1, 2, 3, 4]);
  });

  it("removes all listeners from a connection", async () => {
    await transaction(ctx, pool, async (tx) => {
      for (let id = 1; id <= 20; id++) await insert(tx, id);
    });
    const client = await pool.connect();
    assert.equal(client.listenerCount("error"), 0);
    client.release();
  });

  it("waits for a running query that the function did not await", async () => {
    await transaction(ctx, pool, async (tx) => {
      void cancellable(pool, tx.signal).query("insert into kept select 1 from pg_sleep(0.2)");
      await until(async () => (await cluster.running("pg_sleep(0.2)")) === 1, "the query to run");
    });
    assert.deepEqual(await kept(), [1]);
  });

  it("rejects if a query failed and the function returned nevertheless", async () => {
    await assert.rejects(
      transaction(ctx, pool, async (tx) => {
        await insert(tx, 1);
        await insert(tx, 1).catch(() => undefined);
      }),
      /one of its queries failed and the function returned nevertheless/,
    );
    assert.deepEqual(await kept(), []);
    await isClean();
  });

  it("refuses queries after the end", async () => {
    let late: Context | undefined;
    await transaction(ctx, pool, (tx) => void (late = tx));
    await assert.rejects(insert(late!, 1), /The transaction of this query has ended/);
    await assert.rejects(
      transaction(late!, pool, () => 1),
      /The transaction of this query has ended/,
    );
    assert.deepEqual(await kept(), []);
  });

  for (const text of ["commit", "ROLLBACK", " end;", "abort work"]) {
    it(`refuses ${JSON.stringify(text)} of a service`, async () => {
      await assert.rejects(
        transaction(ctx, pool, async (tx) => {
          await insert(tx, 1);
          await cancellable(pool, tx.signal).query(text);
        }),
        /cannot end this transaction/,
      );
      assert.deepEqual(await kept(), []);
      await isClean();
    });
  }

  it("a service can use its own savepoints", async () => {
    await transaction(ctx, pool, async (tx) => {
      const own = cancellable(pool, tx.signal);
      await own.query("savepoint here");
      await insert(tx, 1);
      await own.query("rollback to here");
      await insert(tx, 2);
    });
    assert.deepEqual(await kept(), [2]);
  });

  it("cancels the running query in PostgreSQL and rolls back when the signal aborts", async () => {
    const outcome = assert.rejects(
      transaction(ctx, pool, async (tx) => {
        await insert(tx, 1);
        await cancellable(pool, tx.signal).query("select pg_sleep(30)");
      }),
      gone,
    );
    await until(async () => (await cluster.running("pg_sleep(30)")) === 1, "the query to run");
    controller.abort(gone);
    await outcome;
    assert.equal(await cluster.running("pg_sleep(30)"), 0);
    assert.deepEqual(await kept(), []);
    await isClean();
    assert.equal(pool.totalCount, 1, "the connection is used again");
  });

  it("rolls back when the signal aborts, even if the function never ends", async () => {
    const outcome = assert.rejects(
      transaction(ctx, pool, async (tx) => {
        await insert(tx, 1);
        await new Promise(() => {});
      }),
      gone,
    );
    await until(
      async () =>
        (await cluster.query("select 1 as n from pg_stat_activity where state = 'idle in transaction'"))
          .length === 1,
      "the insert",
    );
    controller.abort(gone);
    await outcome;
    await isClean();
    assert.deepEqual(await kept(), []);
  });

  it("rejects before the function runs if the signal has aborted", async () => {
    controller.abort(gone);
    await assert.rejects(
      transaction(ctx, pool, () => assert.fail("the function ran")),
      gone,
    );
  });

  for (const [when, wait] of [
    ["during a query", 30],
    ["between two queries", 0],
  ] as const) {
    it(`rejects and opens a new connection if PostgreSQL ends the connection ${when}`, async () => {
      pool.on("error", () => {});
      await assert.rejects(
        transaction(ctx, pool, async (tx) => {
          const own = cancellable(pool, tx.signal);
          const { rows } = await own.query("select pg_backend_pid() as pid");
          const ended = cluster.query(`select pg_terminate_backend(${rows[0].pid})`);
          if (wait === 0) await ended.then(() => sleep(50));
          await own.query(`select pg_sleep(${wait})`);
        }),
        (error) => stateOf(error) === "57P01" || /not queryable|terminated/.test(String(error)),
      );
      await isClean();
    });
  }

  /** Two transactions that read the sum and insert it, which cannot both be serializable. */
  const conflict = async (retries: number): Promise<PromiseSettledResult<unknown>[]> => {
    const met = Promise.withResolvers<void>();
    let readers = 0;
    const one = (id: number) =>
      transaction(
        ctx,
        pool,
        async (tx) => {
          const { rows } = await cancellable(pool, tx.signal).query(
            "select coalesce(sum(id), 0)::int as n from kept",
          );
          readers += 1;
          if (readers === 2) met.resolve();
          await met.promise;
          await insert(tx, rows[0].n + id);
        },
        { isolation: "serializable", retries },
      );
    return Promise.allSettled([one(1), one(10)]);
  };

  it("rejects with a serialization failure without `retries`", async () => {
    const results = await conflict(0);
    const failed = results.filter((result) => result.status === "rejected");
    assert.deepEqual(
      failed.map(({ reason }) => stateOf(reason)),
      ["40001"],
    );
  });

  it("repeats after a serialization failure with `retries`", async () => {
    assert.deepEqual(
      (await conflict(3)).map(({ status }) => status),
      ["fulfilled", "fulfilled"],
    );
    const [first, second] = (await kept()) as number[];
    assert.ok(first === 1 || first === 10);
    assert.equal(second, 11);
  });

  it("repeats a transaction after a deadlock, even if drizzle wraps the error", async () => {
    await cluster.query("insert into kept values (1), (2)");
    let runs = 0;
    const one = (first: number, second: number) =>
      transaction(
        ctx,
        pool,
        async (tx) => {
          runs += 1;
          const db = drizzle(cancellable(pool, tx.signal));
          await db.execute(drizzleSql`select 1 from kept where id = ${first} for update`);
          await sleep(100);
          await db.execute(drizzleSql`select 1 from kept where id = ${second} for update`);
        },
        { retries: 5 },
      );
    await Promise.all([one(1, 2), one(2, 1)]);
    assert.ok(runs >= 3, `${runs} runs`);
    await isClean();
  });

  it("does not repeat more often than `retries`, and no other errors", async () => {
    let runs = 0;
    const failing = (state: string) =>
      transaction(
        ctx,
        pool,
        async (tx) => {
          runs += 1;
          await cancellable(pool, tx.signal).query(
            `do $$ begin raise exception 'x' using errcode = '${state}'; end $$`,
          );
        },
        { retries: 2 },
      );
    await assert.rejects(failing("40001"), { code: "40001" });
    assert.equal(runs, 3);
    runs = 0;
    await assert.rejects(failing("23505"), { code: "23505" });
    assert.equal(runs, 1);
  });

  it("uses the isolation level, and refuses a stricter one inside", async () => {
    await transaction(
      ctx,
      pool,
      async (tx) => {
        const { rows } = await cancellable(pool, tx.signal).query("show transaction_isolation");
        assert.deepEqual(rows, [{ transaction_isolation: "repeatable read" }]);
        await transaction(tx, pool, () => undefined, { isolation: "read committed" });
        await assert.rejects(
          transaction(tx, pool, () => undefined, { isolation: "serializable" }),
          /cannot run inside of one with "repeatable read"/,
        );
      },
      { isolation: "repeatable read" },
    );
  });

  for (const [options, message] of [
    [{ isolation: "chaos" }, /`isolation` must be one of "read committed", .*, not "chaos"/],
    [{ retries: 1.5 }, /`retries` must be an integer from 0 to 100, not 1.5/],
    [{ retrys: 1 }, /there is no option `retrys`; the options are isolation, retries/],
  ] as const) {
    it(`refuses the options ${JSON.stringify(options)}`, async () => {
      await assert.rejects(
        transaction(ctx, pool, () => undefined, options as never),
        (error) => error instanceof TypeError && message.test(error.message),
      );
      assert.equal(pool.totalCount, 0);
    });
  }

  for (const fails of [false, true]) {
    it(`${fails ? "rolls back" : "commits"} the queries of a request if its handler ${fails ? "throws" : "returns"}`, async () => {
      const next = async (): Promise<string> => {
        await insert(ctx, 1);
        await assert.rejects(
          transaction(ctx, pool, (tx) => insert(tx, 1)),
          { code: "23505" },
        );
        assert.deepEqual(await kept(), []);
        if (fails) throw gone;
        return "answer";
      };
      const outcome = requestTransaction(ctx, pool, next);
      if (fails) await assert.rejects(outcome, gone);
      else assert.equal(await outcome, "answer");
      assert.deepEqual(await kept(), fails ? [] : [1]);
      await insert(ctx, 2);
      assert.deepEqual(await kept(), fails ? [2] : [1, 2], "the context has left the transaction");
      await isClean();
    });
  }

  it("sets a savepoint if a wrapper runs inside of another with a transaction", async () => {
    await requestTransaction(ctx, pool, async () => {
      await insert(ctx, 1);
      await assert.rejects(
        requestTransaction(ctx, pool, async () => {
          await insert(ctx, 2);
          throw gone;
        }),
        gone,
      );
      await insert(ctx, 3);
    });
    assert.deepEqual(await kept(), [1, 3]);
  });
});
