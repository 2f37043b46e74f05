// A worker. It also enqueues the jobs of payments of the Rust server, which has no jobs: each payment is a row that says that
// its job does not exist yet.

import { setTimeout as sleep } from "node:timers/promises";
import { pool } from "./database.ts";
import { jobs } from "./jobs.ts";

await jobs.work({
  settle: async ({ data, id, attempt }) => {
    await pool.query("insert into settlements (payment, job, attempt) values ($1, $2, $3)", [
      data.payment,
      id,
      attempt,
    ]);
  },
});
console.log("Working");

const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());

while (!stopping.signal.aborted) {
  // oxlint-disable-next-line no-await-in-loop -- one round after the other
  const moved = await relay().catch((error: Error) => {
    console.error(`relay: ${error.message}`);
    return 0;
  });
  // oxlint-disable-next-line no-await-in-loop -- waits for new rows
  if (moved === 0) await sleep(300);
}

/** Enqueues the jobs of up to 100 payments of the Rust server, in the transaction that marks the payments. Returns their number. */
async function relay(): Promise<number> {
  const client = await pool.connect();
  // A connection that breaks rejects the query that is in progress.
  client.on("error", () => undefined);
  let failure: Error | undefined;
  try {
    await client.query("begin");
    const { rows } = await client.query<{ id: number }>(
      `update payments set has_job = true where id in (
         select id from payments where not has_job order by id limit 100 for update skip locked
       ) returning id`,
    );
    await jobs.enqueueAll(
      client,
      "settle",
      rows.map(({ id }) => ({ payment: id })),
    );
    await client.query("commit");
    return rows.length;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // A connection with an open transaction is not used again.
    client.removeAllListeners("error");
    client.on("error", () => undefined);
    client.release(failure);
  }
}
