// Checks of the database after the load, and the table of results.

import type { Disturbance } from "./disturbances.ts";
import type { Load } from "./load.ts";
import { until } from "../../database/support/cluster.ts";
import { query } from "./postgres.ts";

/** Time in milliseconds for the workers to do the jobs that are left, and for the standby to catch up. */
const settleMs = 120_000;

/**
 * Returns the problems that the database shows: lost and doubled payments and jobs. Empty if there are none. `standbyUrl` is `undefined`
 * after a failover.
 */
export async function checkDatabase(
  load: Load,
  primaryUrl: string,
  standbyUrl: string | undefined,
): Promise<string[]> {
  const problems: string[] = [];
  const count = async (sql: string, url = primaryUrl): Promise<number> =>
    Number((await query(url, `select count(*) as n from (${sql}) rows`))[0]!["n"]);
  const open =
    "select 1 from payments p where not exists (select 1 from settlements s where s.payment = p.id)";
  await until(async () => (await count(open)) === 0, "all jobs", settleMs).catch(() => undefined);
  const report = (found: number, what: string): void => {
    if (found > 0) problems.push(`${found} ${what}`);
  };
  const rows = await query(primaryUrl, "select text from payments");
  const stored = new Map<string, number>();
  for (const { text } of rows) stored.set(text as string, (stored.get(text as string) ?? 0) + 1);
  const succeeded = load.outcomes.filter(({ answer }) => answer !== undefined);
  report(load.outcomes.length - succeeded.length, "idempotent requests failed");
  report(succeeded.filter(({ key }) => !stored.has(key)).length, "confirmed payments are lost");
  report([...stored.values()].filter((copies) => copies > 1).length, "payments exist more than once");
  report(load.different.length, "repeated requests got another response");
  report(load.unexpected.length, "responses that no client expects");
  report(await count(open), "jobs are lost");
  report(
    await count("select payment from settlements group by payment having count(distinct job) > 1"),
    "payments have more than one job",
  );
  report(
    await count("select job from settlements group by job, attempt having count(*) > 1"),
    "attempts of jobs were executed twice",
  );
  report(
    await count("select 1 from pgboss.job where state = 'failed' and name = 'settle'"),
    "jobs failed for the last time",
  );
  const all = await count("select 1 from settlements");
  if (standbyUrl !== undefined) {
    const isCopied = async (): Promise<boolean> =>
      (await count("select 1 from settlements", standbyUrl).catch(() => -1)) === all;
    await until(isCopied, "the standby", settleMs).catch(() =>
      problems.push("the standby does not have all rows"),
    );
  }
  const again = await count("select job from settlements group by job having count(*) > 1");
  console.log(
    `${stored.size} payments, ${all} executions of jobs, of which ${again} jobs ran again after an interruption`,
  );
  return problems;
}

/** Returns the table of the phases, and the phases whose bound is broken. */
export function tableOf(
  load: Load,
  phases: readonly Disturbance[],
): { readonly table: string; readonly problems: string[] } {
  const problems: string[] = [];
  const lines = phases.map(({ name, mostMs }) => {
    const outcomes = load.outcomes.filter(({ phase }) => phase === name);
    const times = outcomes.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other);
    const p99 = percentile(times, 0.99);
    if (p99 > mostMs) problems.push(`p99 during "${name}" is ${Math.round(p99)} ms, more than ${mostMs} ms`);
    const cells = [
      outcomes.length,
      outcomes.filter(({ attempts }) => attempts > 1).length,
      outcomes.filter(({ answer }) => answer === undefined).length,
      Math.round(percentile(times, 0.5)),
      Math.round(p99),
      Math.round(times.at(-1) ?? 0),
      mostMs,
    ];
    return name.padEnd(26) + cells.map((cell) => String(cell).padStart(10)).join("");
  });
  const headings = ["requests", "repeated", "failed", "p50 ms", "p99 ms", "max ms", "bound ms"];
  const heading = "disturbance".padEnd(26) + headings.map((text) => text.padStart(10)).join("");
  return { table: [heading, ...lines].join("\n"), problems };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
