// A worker behind pgbouncer in transaction mode. PostgreSQL cannot notify such a worker.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Pool } from "pg";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { Bouncer, missingBouncer } from "../../../tests/database/support/bouncer.ts";
import { Cluster, until } from "../../../tests/database/support/cluster.ts";
import { testJobs } from "./support/jobs.ts";

let log = "";
quietStdout((text) => (log += text));

test(
  "a worker behind pgbouncer does jobs, and warns that it asks for them",
  { skip: missingBouncer() ?? false, timeout: 90_000 },
  async (t) => {
    const cluster = await Cluster.start();
    t.after(() => cluster.remove());
    await using bouncer = await Bouncer.start(cluster, "postgres", 20);
    const pool = new Pool({ connectionString: bouncer.url, max: 5 });
    const jobs = testJobs(pool);
    const seen: number[] = [];
    const worker = await jobs.work(
      { "send-mail": () => undefined, count: ({ data }) => void seen.push(data.number) },
      { signals: false, pollSeconds: 1 },
    );
    try {
      // pg-boss notices after ten seconds.
      const warning = /"level":"warn","message":"PostgreSQL may not notify the worker[^"]* every 1 s"/;
      await until(() => warning.test(log), "the warning");
      await jobs.enqueue(pool, "count", { number: 7 });
      await until(() => seen.length > 0, "the job");
      assert.deepEqual(seen, [7]);
      assert.doesNotMatch(log, /"level":"error"/);
    } finally {
      await worker.stop();
      await jobs.close();
      await pool.end();
    }
  },
);
