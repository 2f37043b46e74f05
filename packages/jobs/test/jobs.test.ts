import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";

import { transaction } from "@kit/core/pg";
import {
  createJobs,
  JobDataError,
  type JobInput,
  type Jobs,
  jobsTableSql,
  type RunningWorker,
} from "@kit/jobs";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { type Generated, Kysely, PostgresDialect } from "kysely";
import { Pool, types } from "pg";

import { Cluster, until } from "../../../tests/database/support/cluster.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { jobsWithoutMail, otherJobs, type TestJobs, testJobs } from "./support/jobs.ts";

quietStdout();

const sentAt = new Date("2026-03-01T12:00:00.000Z");
const mail = { to: "ada", sentAt, size: 9_007_199_254_740_993n, token: "secret" };
const nothing = { "send-mail": () => undefined, count: () => undefined };

describe("jobs", { timeout: 120_000 }, () => {
  let cluster: Cluster;
  let pool: Pool;
  let jobs: Jobs<TestJobs>;

  before(async () => {
    cluster = await Cluster.start();
    pool = new Pool({ connectionString: cluster.url, max: 10 });
    jobs = testJobs(pool);
    await jobs.report();
  });
  after(async () => {
    await jobs?.close();
    await pool?.end();
    await cluster?.remove();
  });
  beforeEach(async () => {
    await pool.query("delete from pgboss.job");
  });

  const stored = async (): Promise<unknown[]> =>
    (await pool.query("select data from pgboss.job order by created_on, id")).rows.map(({ data }) => data);

  /** Starts a worker, and calls a function that waits for its jobs. */
  async function withWorker(
    handlers: Parameters<Jobs<TestJobs>["work"]>[0],
    run: (worker: RunningWorker) => Promise<void>,
    options: Parameters<Jobs<TestJobs>["work"]>[1] = {},
  ): Promise<void> {
    const worker = await jobs.work(handlers, { signals: false, pollSeconds: 1, ...options });
    try {
      await run(worker);
    } finally {
      await worker.stop();
    }
  }

  it("keeps a job that no worker does for years", async () => {
    await jobs.enqueue(pool, "send-mail", mail);
    const { rows } = await pool.query<{ isKept: boolean }>(
      "select keep_until > now() + interval '9 years' as \"isKept\" from pgboss.job",
    );
    assert.deepEqual(rows, [{ isKept: true }]);
  });

  it("a worker receives the data with the types that the interface declares", async () => {
    const seen: JobInput<TestJobs["send-mail"]>[] = [];
    await withWorker({ ...nothing, "send-mail": (input) => void seen.push(input) }, async () => {
      const id = await jobs.enqueue(pool, "send-mail", mail);
      await until(() => seen.length > 0, "the job");
      assert.equal(seen[0]!.id, id);
    });
    assert.deepEqual(seen[0]!.data, mail);
    assert.equal(seen[0]!.attempt, 1);
  });

  it("a worker does waiting jobs one after the other, without the pause between two queries", async () => {
    const list = Array.from({ length: 50 }, (_, index) => ({ number: index + 1 }));
    await jobs.enqueueAll(pool, "count", list);
    const seen = new Set<number>();
    await withWorker(
      { ...nothing, count: ({ data }) => void seen.add(data.number) },
      () => until(() => seen.size === list.length, "all jobs"),
      { pollSeconds: 3_600, concurrency: { count: 2 } },
    );
  });

  it("a handler can enqueue a job in a transaction that holds the last connection of the pool", async () => {
    const small = new Pool({ connectionString: cluster.url, max: 1 });
    const own = testJobs(small, { schema: "small" });
    const seen: number[] = [];
    const worker = await own.work(
      {
        "send-mail": ({ signal: ofJob }) =>
          transaction({ signal: ofJob }, small, (tx) => own.enqueue(tx, "count", { number: 5 })),
        count: ({ data }) => void seen.push(data.number),
      },
      { signals: false, pollSeconds: 1 },
    );
    // Another process enqueues the first job, so this one has enqueued none before.
    const outside = testJobs(pool, { schema: "small" });
    await outside.enqueue(pool, "send-mail", mail);
    await until(() => seen.length > 0, "the second job");
    await outside.close();
    await worker.stop();
    await small.end();
  });

  it("data that does not fit its type is refused when it is enqueued, and nothing is stored", async () => {
    const wrong = { ...mail, to: "", more: 1 };
    await assert.rejects(jobs.enqueue(pool, "send-mail", wrong), (error) => {
      assert.ok(error instanceof JobDataError);
      assert.match(error.message, /send-mail.*\$\.to: expected string, 1 to 200 characters/);
      return true;
    });
    const invalid = { ...mail, sentAt: new Date(Number.NaN) };
    await assert.rejects(jobs.enqueue(pool, "send-mail", invalid), JobDataError);
    await assert.rejects(jobs.enqueue(pool, "other" as "count", { number: 1 }), /no job other/);
    assert.deepEqual(await stored(), []);
  });

  it("properties that the type does not declare are not stored", async () => {
    await jobs.enqueue(pool, "count", { number: 1, more: 2 } as { number: number });
    assert.deepEqual(await stored(), [{ number: 1 }]);
  });

  const { signal } = new AbortController();
  const kyselyOf = (): Kysely<{ done: { number: Generated<number> } }> =>
    new Kysely({ dialect: new PostgresDialect({ pool }) });
  /** For each library, runs a function with a connection in a transaction, which is rolled back if the function throws. */
  const transactions: readonly [
    name: string,
    run: (use: (connection: never) => Promise<unknown>) => Promise<unknown>,
  ][] = [
    ["`transaction` of kit", (use) => transaction({ signal }, pool, (tx) => use(tx as never))],
    ["drizzle", (use) => drizzle(pool).transaction((tx) => use(tx as never))],
    [
      "Kysely",
      (use) =>
        kyselyOf()
          .transaction()
          .execute((tx) => use(tx as never)),
    ],
    [
      "pg",
      async (use) => {
        const client = await pool.connect();
        try {
          await client.query("begin");
          await use(client as never);
          await client.query("commit");
        } catch (error) {
          await client.query("rollback");
          throw error;
        } finally {
          client.release();
        }
      },
    ],
  ];
  for (const [name, run] of transactions) {
    it(`with a transaction of ${name}, a job exists only if the transaction commits`, async () => {
      const enqueue = async (connection: never): Promise<void> => {
        await jobs.enqueueAll(connection, "count", [{ number: 1 }, { number: 2 }]);
        assert.deepEqual(await stored(), [], "the job is not visible to others before the commit");
      };
      const rolledBack = run(async (connection) => {
        await enqueue(connection);
        throw new Error("no");
      });
      await assert.rejects(rolledBack, /^Error: no$/);
      assert.deepEqual(await stored(), []);
      await run(enqueue);
      assert.equal((await stored()).length, 2);
    });
  }

  it("refuses a first argument that is no connection", async () => {
    await assert.rejects(
      jobs.enqueue({} as never, "count", { number: 1 }),
      /must be the context of a request/,
    );
  });

  it("a job that fails is tried again, and is then listed with its error", async () => {
    const attempts: number[] = [];
    const fail = ({ attempt }: { attempt: number }): never => {
      attempts.push(attempt);
      throw new Error(`attempt ${attempt} failed`);
    };
    await withWorker({ ...nothing, "send-mail": fail }, async () => {
      await jobs.enqueue(pool, "send-mail", mail);
      await until(async () => (await jobs.report()).failures.length > 0, "the failure");
    });
    assert.deepEqual(attempts, [1, 2]);
    const { failures, queues } = await jobs.report();
    assert.deepEqual(
      failures.map(({ name, attempts: count, message }) => [name, count, message]),
      [["send-mail", 2, "attempt 2 failed"]],
    );
    assert.equal(queues.find(({ name }) => name === "send-mail")!.failed, 1);
  });

  it("a job that fails keeps no parameters of queries and no hidden values in its table", async () => {
    const db = drizzle(pool);
    const errors: readonly (() => unknown)[] = [
      () => db.execute(sql`select ${"ada@example.org"}::int`),
      () => pool.query("select $1::uuid", ["ada@example.org"]),
      () =>
        Promise.reject(new Error('Invalid body: $.user.iban: expected a number, received "ada@example.org"')),
    ];
    await withWorker(
      { ...nothing, count: ({ data }) => errors[data.number - 1]!() },
      async () => {
        await jobs.enqueueAll(
          pool,
          "count",
          errors.map((_, index) => ({ number: index + 1 })),
        );
        const failed = "select output ->> 'message' as message from pgboss.job where output is not null";
        await until(async () => (await pool.query(failed)).rowCount === errors.length, "the failures");
        const messages = (await pool.query<{ message: string }>(failed)).rows.map(({ message }) => message);
        assert.deepEqual(messages.toSorted(), [
          "Failed query: select $1::int\nparams: [redacted]",
          "Invalid body: $.user.iban: expected a number, received [redacted]",
          'invalid input syntax for type uuid: "[redacted]"',
        ]);
      },
      { logging: { redact: ["iban"] } },
    );
  });

  it("a job whose error has characters that PostgreSQL cannot store fails with a message nevertheless", async () => {
    const failing = { ...nothing, "send-mail": () => Promise.reject(new Error("a\0b\ud800c")) };
    await withWorker(failing, async () => {
      await jobs.enqueue(pool, "send-mail", mail);
      await until(async () => (await jobs.report()).failures.length > 0, "the failure");
    });
    const [failure] = (await jobs.report()).failures;
    assert.equal(failure!.message, "a\u{FFFD}b\u{FFFD}c");
  });

  it("a job of another release whose data does not fit fails without a call of the handler", async () => {
    const id = await jobs.enqueue(pool, "count", { number: 1 });
    await pool.query(`update pgboss.job set data = '{"number":"one"}' where id = $1`, [id]);
    await withWorker({ ...nothing, count: () => assert.fail("called") }, () =>
      until(async () => (await jobs.report()).failures.length > 0, "the failure"),
    );
    const [failure] = (await jobs.report()).failures;
    assert.equal(failure!.attempts, 1);
    assert.match(failure!.message!, /\$\.number: expected/);
  });

  it("a job with `startAfter` waits", async () => {
    await jobs.enqueue(pool, "count", { number: 1 }, { startAfter: 3_600 });
    await jobs.enqueue(pool, "count", { number: 2 }, { startAfter: new Date(Date.now() + 3_600_000) });
    const { queues } = await jobs.report();
    assert.deepEqual(
      queues.map(({ name, waiting, later }) => [name, waiting, later]),
      [
        ["send-mail", 0, 0],
        ["count", 0, 2],
      ],
    );
  });

  const list = async (): Promise<unknown[]> =>
    (await jobs.report()).schedules.map(({ name, cron, timeZone }) => [name, cron, timeZone]);

  it("schedules are replaced by the list of the worker that started last, and their data is checked", async () => {
    const nightly = {
      job: "count",
      cron: "0 3 * * *",
      timeZone: "Europe/Zurich",
      data: { number: 1 },
    } as const;
    const early = { job: "count", cron: "0 1 * * *", key: "early", data: { number: 2 } } as const;
    await withWorker(nothing, async () => assert.equal((await list()).length, 2), {
      schedules: [nightly, early],
    });
    await withWorker(
      nothing,
      async () => assert.deepEqual(await list(), [["count", "0 3 * * *", "Europe/Zurich"]]),
      { schedules: [nightly] },
    );
    // Another application has jobs with other names.
    const other = otherJobs(pool);
    const late = { job: "other", cron: "0 4 * * *", data: { number: 3 } } as const;
    const ofOther = await other.work({ other: () => undefined }, { signals: false, schedules: [late] });
    await ofOther.stop();
    const start = (schedule: object): Promise<RunningWorker> =>
      jobs.work(nothing, { signals: false, schedules: [schedule as typeof nightly] });
    await assert.rejects(start({ ...nightly, data: { number: "x" } }), JobDataError);
    await assert.rejects(
      start({ ...nightly, cron: "at night" }),
      /the schedule of the job count is not valid/,
    );
    await assert.rejects(start({ ...nightly, job: "other" }), /other, which is no job/);
    await withWorker(nothing, async () => assert.deepEqual(await list(), [["other", "0 4 * * *", "UTC"]]));
  });

  const isListed = async (): Promise<boolean> =>
    (await jobs.report()).schedules.some(({ name }) => name === "send-mail");

  it("the schedule of a job that the type no longer contains is removed", async () => {
    const schedules = [{ job: "send-mail", cron: "0 3 * * *", data: mail }] as const;
    await withWorker(nothing, async () => assert.ok(await isListed()), { schedules });
    const other = otherJobs(pool);
    const kept = { job: "other", cron: "0 4 * * *", data: { number: 3 } } as const;
    await (await other.work({ other: () => undefined }, { signals: false, schedules: [kept] })).stop();
    assert.ok(await isListed(), "another application does not remove it");
    const next = jobsWithoutMail(pool);
    await (await next.work({ count: () => undefined }, { signals: false })).stop();
    assert.deepEqual(await list(), [["other", "0 4 * * *", "UTC"]]);
  });

  it("a worker that stops waits for its jobs, and a job that does not end in time returns to the queue", async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const worker = await jobs.work(
      {
        ...nothing,
        count: async (input) => {
          started.resolve();
          input.signal.addEventListener("abort", () => aborted.resolve());
          await new Promise(() => undefined);
        },
      },
      { signals: false, graceMs: 1_000, pollSeconds: 1 },
    );
    await jobs.enqueue(pool, "count", { number: 1 });
    await started.promise;
    await worker.stop();
    await aborted.promise;
    const { rows } = await pool.query("select state from pgboss.job where name = 'count'");
    assert.deepEqual(rows, [{ state: "retry" }]);
  });

  it("works if the application has changed how pg reads types", async () => {
    // int8, json, jsonb, timestamptz, bool, int4
    const changed = [20, 114, 3802, 1184, 16, 23].map(
      (type) => [type, types.getTypeParser(type, "text")] as const,
    );
    for (const [type] of changed) types.setTypeParser(type, (text) => ({ text }));
    try {
      const seen: number[] = [];
      const other = testJobs(pool);
      const nightly = { job: "count", cron: "0 3 * * *", data: { number: 9 } } as const;
      const worker = await other.work(
        { ...nothing, count: ({ data }) => void seen.push(data.number) },
        { signals: false, pollSeconds: 1, schedules: [nightly] },
      );
      await other.enqueue(pool, "count", { number: 7 });
      await until(() => seen.length > 0, "the job");
      assert.deepEqual(seen, [7]);
      assert.deepEqual((await other.report()).queues.map(({ name }) => name).toSorted(), [
        "count",
        "send-mail",
      ]);
      await worker.stop();
      await other.close();
    } finally {
      for (const [type, parse] of changed) types.setTypeParser(type, parse);
    }
  });

  it("refuses handlers that do not fit the jobs, and unknown options", async () => {
    await assert.rejects(
      jobs.work({ count: () => undefined, other: () => undefined } as never, { signals: false }),
      /- send-mail has no handler[^]*- other is no job[^]*declared at src\/jobs\.ts:/,
    );
    const wrong: readonly [options: object, message: RegExp][] = [
      [{ concurency: 1 }, /no option `concurency`/],
      [{ concurrency: 0 }, /`concurrency` must be a whole number from 1 to 1000, not 0/],
      [{ concurrency: { other: 1 } }, /other, which is no job/],
      [{ logging: { redact: "pin" as never } }, /`logging.redact` must be an array of strings/],
      [{ graceMs: -1 }, /`graceMs` must be/],
    ];
    for (const [options, message] of wrong) await assert.rejects(jobs.work(nothing, options), message);
    assert.throws(() => createJobs<TestJobs>({ pool: {} as never }), /`pool` must be a pool/);
    const heartbeat = { count: { heartbeatSeconds: 1 } };
    assert.throws(() => testJobs(pool, { queues: heartbeat }), /`heartbeatSeconds`.*from 10 to 3600, not 1/);
    const other = testJobs(pool, { queues: { other: {} } as never });
    await assert.rejects(other.enqueue(pool, "count", { number: 1 }), /options of other, which is no job/);
  });

  it("with `migrate: false`, the tables come from a migration", async () => {
    const options = { schema: "work", migrate: false };
    const other = testJobs(pool, options);
    await assert.rejects(other.enqueue(pool, "count", { number: 1 }), /schema|migrat|install/i);
    await pool.query(jobsTableSql({ schema: "work" }));
    await other.enqueue(pool, "count", { number: 1 });
    assert.equal((await pool.query("select 1 from work.job")).rowCount, 1);
    await other.close();
  });

  it("with `grantTo`, a role without rights of its own enqueues jobs in the transaction of its tenant", async () => {
    await pool.query("create role jobs_tenant");
    await pool.query(jobsTableSql({ schema: "granted", grantTo: "jobs_tenant" }));
    const other = testJobs(pool, { schema: "granted", migrate: false });
    const client = await pool.connect();
    try {
      // The queue of a job is made with the first job, by the role of the pool.
      await other.enqueue(pool, "count", { number: 1 });
      await client.query("begin; set local role jobs_tenant");
      await other.enqueue(client, "count", { number: 2 });
      await client.query("commit");
      assert.equal((await pool.query("select 1 from granted.job")).rowCount, 2);
    } finally {
      client.release();
      await other.close();
    }
    assert.throws(() => jobsTableSql({ grantTo: "a b" }), /`grantTo` must have lower-case letters/);
  });
});
