// Tests that no job is lost when workers are killed at random points.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Pool } from "pg";

import { Cluster } from "../../../tests/database/support/cluster.ts";
import { testJobs } from "./support/jobs.ts";

const isLong = process.env["KIT_LONG"] !== undefined;
const kills = isLong ? 200 : 10;
const count = isLong ? 20_000 : 600;
const program = join(import.meta.dirname, "support/worker.ts");
/** Maximum milliseconds without a job that is done. The heartbeat of a killed worker ends after 10 seconds. */
const patienceMs = 60_000;

async function startWorker(url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, DATABASE_URL: url, KIT_TEST_MOST_MS: isLong ? "400" : "300" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line !== "ready") continue;
    child.stdout!.resume();
    return child;
  }
  return assert.fail("the worker has ended");
}

describe("workers that are killed", { timeout: isLong ? 3_600_000 : 300_000 }, () => {
  it(`${count} jobs and ${kills} kills: every job is done`, async (t) => {
    const cluster = await Cluster.start();
    const pool = new Pool({ connectionString: cluster.url, max: 5 });
    const jobs = testJobs(pool);
    let workers: ChildProcess[] = [];
    try {
      await pool.query("create table done (number int not null, attempt int not null)");
      for (let first = 0; first < count; first += 1_000) {
        const size = Math.min(1_000, count - first);
        const list = Array.from({ length: size }, (_, index) => ({ number: first + index + 1 }));
        // oxlint-disable-next-line no-await-in-loop -- one query at a time
        await jobs.enqueueAll(pool, "count", list);
      }
      workers = await Promise.all([startWorker(cluster.url), startWorker(cluster.url)]);
      for (let kill = 0; kill < kills; kill += 1) {
        // oxlint-disable no-await-in-loop -- one kill after the other
        await sleep(Math.random() * 500);
        const index = Math.floor(Math.random() * workers.length);
        const [victim] = workers.splice(index, 1);
        victim!.kill("SIGKILL");
        await once(victim!, "exit");
        workers.push(await startWorker(cluster.url));
        // oxlint-enable no-await-in-loop
      }
      await untilNothingChanges(async () => {
        const { rows: done } = await pool.query("select count(distinct number)::int as n from done");
        return done[0].n as number;
      });
      const { rows } = await pool.query(
        "select count(*)::int as all, count(distinct number)::int as different, max(attempt)::int as attempts from done",
      );
      const { all, different, attempts } = rows[0] as Record<string, number>;
      t.diagnostic(
        `${different} of ${count} jobs are done, ${all! - different!} of them more than once, with at most ${attempts} attempts`,
      );
      assert.equal(different, count);
      assert.deepEqual((await jobs.report()).failures, []);
      for (const worker of workers) worker.kill("SIGTERM");
      const codes = await Promise.all(workers.map((worker) => exitOf(worker)));
      assert.deepEqual(codes, [0, 0], "a worker that is asked to stop exits with code 0");
      workers = [];
    } finally {
      for (const worker of workers) worker.kill("SIGKILL");
      await jobs.close();
      await pool.end();
      await cluster.remove();
    }
  });
});

/** Waits until all jobs are done, or until no job was done for a while. A busy machine only delays the end. */
async function untilNothingChanges(read: () => Promise<number>): Promise<void> {
  let [done, changedAt] = [0, performance.now()];
  while (done < count && performance.now() - changedAt < patienceMs) {
    // oxlint-disable no-await-in-loop -- one query at a time
    const current = await read();
    if (current !== done) [done, changedAt] = [current, performance.now()];
    await sleep(500);
    // oxlint-enable no-await-in-loop
  }
}

async function exitOf(worker: ChildProcess): Promise<number | null> {
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, "exit");
  return worker.exitCode;
}
