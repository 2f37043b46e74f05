// Program of the tests: a worker that writes a row for each job that it has done.

import { setTimeout as sleep } from "node:timers/promises";

import { Pool } from "pg";

import { testJobs } from "./jobs.ts";

const pool = new Pool({ connectionString: process.env["DATABASE_URL"]!, max: 5 });
const mostMs = Number(process.env["KIT_TEST_MOST_MS"] ?? 0);
await testJobs(pool).work(
  {
    "send-mail": () => undefined,
    count: async ({ data, attempt }) => {
      await sleep(Math.random() * mostMs);
      await pool.query("insert into done (number, attempt) values ($1, $2)", [data.number, attempt]);
    },
  },
  { concurrency: 5, pollSeconds: 1, graceMs: 5_000 },
);
console.log("ready");
process.on("exit", () => console.log("ended"));
