import type { JobsReport } from "@kit/types";
import type { PgBoss } from "pg-boss";

import { databaseOf } from "./connection.ts";
import type { ReadJobsOptions } from "./options.ts";

/** Maximum number of failures in a report. */
const mostFailures = 50;

/** Reads the numbers of jobs by their state, the last failures, and the workers. */
export async function reportOf(
  boss: PgBoss,
  names: readonly string[],
  { pool, schema }: ReadJobsOptions,
): Promise<JobsReport> {
  const database = databaseOf(pool);
  const [counts, failures, instances, schedules] = await Promise.all([
    database.executeSql(
      `select name,
         count(*) filter (where state in ('created', 'retry') and start_after <= now())::float8 as waiting,
         count(*) filter (where state in ('created', 'retry') and start_after > now())::float8 as later,
         count(*) filter (where state = 'active')::float8 as active,
         count(*) filter (where state = 'completed')::float8 as completed,
         count(*) filter (where state = 'failed')::float8 as failed,
         extract(epoch from now() - min(start_after) filter (where state in ('created', 'retry') and start_after <= now()))::float8 as oldest
       from "${schema}".job where name = any($1) group by name`,
      [names],
    ),
    database.executeSql(
      `select id::text, name, retry_count + 1 as attempts, completed_on::text as at, output ->> 'message' as message
       from "${schema}".job where state = 'failed' and name = any($1) order by completed_on desc limit ${mostFailures}`,
      [names],
    ),
    boss.getInstances(),
    boss.getSchedules(),
  ]);
  const byName = new Map(counts.rows.map((row) => [row["name"], row]));
  return {
    queues: names.map((name) => {
      const row = byName.get(name) ?? {};
      const count = (column: string): number => Number(row[column] ?? 0);
      return {
        name,
        waiting: count("waiting"),
        later: count("later"),
        active: count("active"),
        completed: count("completed"),
        failed: count("failed"),
        oldestSeconds: row["oldest"] === null || row["oldest"] === undefined ? null : count("oldest"),
      };
    }),
    failures: failures.rows.map((row) => ({
      id: String(row["id"]),
      name: String(row["name"]),
      attempts: Number(row["attempts"]),
      at: new Date(String(row["at"])).toISOString(),
      message: row["message"] === null ? null : String(row["message"]),
    })),
    workers: instances
      .filter(({ live, workers }) => live && workers.length > 0)
      .map(({ host, pid, startedOn, workers }) => ({
        host,
        pid,
        startedAt: startedOn.toISOString(),
        active: workers.reduce((sum, { active }) => sum + active, 0),
      })),
    schedules: schedules.map(({ name, key, cron, timezone }) => ({ name, key, cron, timeZone: timezone })),
  };
}
