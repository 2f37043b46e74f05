// Jobs of the tests: the golden program `jobs` of kit-emit.

import { createJobs, type Jobs, type JobsOptions } from "@kit/jobs";
import type { CompiledJobs } from "@kit/types";

import compiled from "../../../../crates/kit-emit/tests/goldens/jobs/jobs.ts";

export interface TestJobs {
  "send-mail": { to: string; sentAt: Date; size?: bigint; token?: string };
  count: { number: number };
}

/** Creates the jobs of the tests. A failed job is tried again after a second. */
export function testJobs(
  pool: JobsOptions<TestJobs>["pool"],
  options: Partial<JobsOptions<TestJobs>> = {},
): Jobs<TestJobs> {
  return createJobs<TestJobs>({
    pool,
    compiled: compiled as CompiledJobs,
    queues: {
      "send-mail": { retries: 1, retryDelaySeconds: 1 },
      count: { retries: 20, retryDelaySeconds: 1, heartbeatSeconds: 10 },
    },
    ...options,
  });
}

/** Creates the jobs of the next release of the application, which has no job `send-mail`. */
export function jobsWithoutMail(pool: JobsOptions<TestJobs>["pool"]): Jobs<Pick<TestJobs, "count">> {
  const { jobs, ...rest } = compiled as CompiledJobs;
  return createJobs<Pick<TestJobs, "count">>({
    pool,
    compiled: { ...rest, jobs: { count: jobs["count"]! } },
  });
}

/** Creates the jobs of another application on the same database. */
export function otherJobs(pool: JobsOptions<TestJobs>["pool"]): Jobs<{ other: { number: number } }> {
  const { jobs, ...rest } = compiled as CompiledJobs;
  return createJobs({ pool, compiled: { ...rest, jobs: { other: jobs["count"]! } } });
}
