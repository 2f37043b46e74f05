import type { JobsReport } from "@kit/types";

import { ErrorResponse } from "./error-response.ts";
import type { SidecarState } from "./sidecar-state.ts";

/** Minimum time in milliseconds between two queries of the database. Several open pages share the result. */
const freshMs = 1_000;

const reports = new WeakMap<object, { readonly at: number; readonly report: Promise<JobsReport> }>();

/**
 * Returns the state of the jobs of `@kit/jobs`, or `{ "hasJobs": false }` if the application has none. In production, failures have
 * no message, because a message may contain data of a job.
 */
export async function jobsOf({
  host,
  isProduction,
}: SidecarState): Promise<{ hasJobs: false } | ({ hasJobs: true } & JobsReport)> {
  if (host.jobs === null) return { hasJobs: false };
  const known = reports.get(host);
  const isFresh = known !== undefined && performance.now() - known.at < freshMs;
  const report = isFresh ? known.report : host.jobs.report();
  if (!isFresh) reports.set(host, { at: performance.now(), report });
  try {
    const found = await report;
    const failures = found.failures.map((failure) => ({
      ...failure,
      message: isProduction ? null : (host.toLoggable(failure.message) as string | null),
    }));
    return { hasJobs: true, ...found, failures };
  } catch (error) {
    host.log.warn("The debug sidecar cannot read the jobs", { error });
    throw new ErrorResponse(
      503,
      "JOBS_UNAVAILABLE",
      "the jobs cannot be read from the database; the application's log says why",
    );
  }
}
