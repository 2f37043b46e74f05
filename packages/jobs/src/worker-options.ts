import type { LogLevel } from "@kit/core";
import { isMilliseconds, longestTimeoutMs, severityOf } from "@kit/core/process";

import { requireInteger, requireKnown } from "./options.ts";

/** Job that workers enqueue at fixed times. */
export type JobSchedule<Map extends object> = {
  readonly [Name in keyof Map & string]: {
    readonly job: Name;
    /** Cron expression, such as `0 3 * * *`, or a recurrence rule of RFC 5545. */
    readonly cron: string;
    /** Time zone of the expression, such as `Europe/Zurich`. Default `UTC`. */
    readonly timeZone?: string;
    /** Name that distinguishes several schedules of one job. Default: an empty text. */
    readonly key?: string;
    /** Data of each job. */
    readonly data: Map[Name];
  };
}[keyof Map & string];

/** Options of a worker. */
export interface WorkerOptions<Map extends object> {
  /** Number of jobs of each kind that the process does at the same time, from 1 to 1,000. Default 5. An object has numbers by name. */
  readonly concurrency?: number | { readonly [Name in keyof Map]?: number };
  /**
   * Jobs that are enqueued at fixed times. Schedules of the application's jobs that this list no longer contains are removed, so
   * all workers of an application need the same list. Default: none.
   */
  readonly schedules?: readonly JobSchedule<Map>[];
  /** Seconds between two queries for new jobs, from 1 to 3,600. PostgreSQL also notifies the worker. Default 2. */
  readonly pollSeconds?: number;
  /** Milliseconds for which a worker that stops waits for its jobs. Then they return to the queue. Default 30,000. */
  readonly graceMs?: number;
  /** True to stop on SIGTERM and SIGINT, and then to exit. Default true. */
  readonly signals?: boolean;
  /** Options for the log, as of `createApp`. */
  readonly logging?: { readonly level?: LogLevel; readonly redact?: readonly string[] };
}

const known: Readonly<Record<keyof WorkerOptions<Record<string, object>>, true>> = {
  concurrency: true,
  schedules: true,
  pollSeconds: true,
  graceMs: true,
  signals: true,
  logging: true,
};
const knownInSchedules = { job: true, cron: true, timeZone: true, key: true, data: true };
const knownInLogging = { level: true, redact: true };
const defaultConcurrency = 5;

/** Schedule without the types of the jobs. */
export interface ReadSchedule {
  readonly job: string;
  readonly cron: string;
  readonly timeZone?: string;
  readonly key?: string;
  readonly data: unknown;
}

/** Validated options with their defaults. */
export interface ReadWorkerOptions {
  concurrencyOf(name: string): number;
  readonly schedules: readonly ReadSchedule[];
  readonly pollSeconds: number;
  readonly graceMs: number;
  readonly signals: boolean;
  readonly level: LogLevel;
  readonly redact: readonly string[];
}

/** @throws {TypeError} If an option is unknown or invalid. The message names the option. */
export function readWorkerOptions(
  options: WorkerOptions<Record<string, object>>,
  names: readonly string[],
): ReadWorkerOptions {
  requireKnown(options, known, "work: ");
  const { concurrency = defaultConcurrency, pollSeconds = 2, graceMs = 30_000, signals = true } = options;
  const schedules = (options.schedules ?? []) as readonly ReadSchedule[];
  const { level = "info", redact = [] } = options.logging ?? {};
  requireKnown(options.logging ?? {}, knownInLogging, "work: `logging`: ");
  const ofNames: Readonly<Record<string, number | undefined>> =
    typeof concurrency === "number" ? {} : concurrency;
  const isJob = (name: string): boolean => names.includes(name);
  for (const [name, value] of Object.entries(ofNames)) {
    if (!isJob(name)) throw new TypeError(`work: \`concurrency\` has ${name}, which is no job`);
    requireInteger(value, [1, 1_000], `work: \`concurrency\` of ${name}`);
  }
  const common = typeof concurrency === "number" ? concurrency : defaultConcurrency;
  requireInteger(common, [1, 1_000], "work: `concurrency`");
  requireInteger(pollSeconds, [1, 3_600], "work: `pollSeconds`");
  if (!isMilliseconds(graceMs))
    throw new TypeError(
      `work: \`graceMs\` must be a whole number from 0 to ${longestTimeoutMs}, not ${String(graceMs)}`,
    );
  if (typeof signals !== "boolean") throw new TypeError("work: `signals` must be true or false");
  if (!Object.hasOwn(severityOf, level))
    throw new TypeError(`work: \`logging.level\` must be one of ${Object.keys(severityOf).join(", ")}`);
  if (!Array.isArray(redact) || !redact.every((pattern) => typeof pattern === "string"))
    throw new TypeError("work: `logging.redact` must be an array of strings such as `*.password`");
  const keys = new Set<string>();
  for (const schedule of schedules) {
    requireKnown(schedule, knownInSchedules, "work: `schedules`: ");
    if (!isJob(schedule.job)) throw new TypeError(`work: \`schedules\` has ${schedule.job}, which is no job`);
    const id = `${schedule.job} ${schedule.key ?? ""}`;
    if (keys.has(id))
      throw new TypeError(`work: \`schedules\` has two entries of ${schedule.job} with the same \`key\``);
    keys.add(id);
  }
  return {
    concurrencyOf: (name) => ofNames[name] ?? common,
    schedules,
    pollSeconds,
    graceMs,
    signals,
    level,
    redact,
  };
}
