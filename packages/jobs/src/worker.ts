import type { Logger } from "@kit/core";
import { closeOnSignal, createProcessLog, showStartErrors, StartError } from "@kit/core/process";
import type { CompiledJob, CompiledJobs } from "@kit/types";
import { type ConstructorOptions, type JobResult, type JobWithMetadata, PgBoss } from "pg-boss";

import type { JobsPool } from "./connection.ts";
import { dataOf, JobDataError, wireOf } from "./job-data.ts";
import type { ReadJobsOptions } from "./options.ts";
import { standardTypes } from "./standard-types.ts";
import { type ReadWorkerOptions, readWorkerOptions, type WorkerOptions } from "./worker-options.ts";

/** Job that a handler receives. */
export interface JobInput<Data> {
  /** Data of the job, which matches its type. */
  readonly data: Data;
  /** Id of the job. All attempts have the same id. */
  readonly id: string;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /**
   * Aborts when another worker may do the job: the time of the job is over, or this worker could not report to the
   * database that it is alive. Also aborts at the end of the time that a worker has to stop.
   */
  readonly signal: AbortSignal;
  /** Logger whose entries have the name and the id of the job. */
  readonly log: Logger;
}

/** Function that does a job. If the function throws, the job is tried again later. */
export type JobHandler<Data> = (input: JobInput<Data>) => unknown;

/** A handler for each job. */
export type JobHandlers<Map extends object> = { readonly [Name in keyof Map]: JobHandler<Map[Name]> };

/** Worker that does jobs. */
export interface RunningWorker {
  /** Takes no more jobs, and resolves when the jobs in progress are done or have returned to the queue. */
  stop(): Promise<void>;
}

/** Interval in seconds in which workers search for jobs of workers that were killed. */
const superviseSeconds = 5;
/** Connections of a worker besides those for its jobs: for queries of pg-boss, and for notifications. */
const extraConnections = 3;
/** Maximum number of connections of a worker. Handlers use the application's own pool. */
const mostConnections = 10;

/** Option of a schedule with the names of all jobs of its application. */
const ownerOption = "kitJobs";

/** Settings of a connection that pg-boss takes from the pool of the application. */
const connectionSettings = [
  "connectionString",
  "host",
  "port",
  "database",
  "user",
  "password",
  "ssl",
  "options",
  "connectionTimeoutMillis",
] as const;

/**
 * Starts a worker. Calls `onStop` when the worker has stopped.
 *
 * @throws {StartError} If a handler is missing, or if the tables cannot be created.
 */
export async function startWorker<Map extends object>(
  handlers: JobHandlers<Map>,
  options: WorkerOptions<Map>,
  compiled: CompiledJobs,
  jobs: ReadJobsOptions,
  onStop: () => Promise<void>,
): Promise<RunningWorker> {
  showStartErrors();
  const names = Object.keys(compiled.jobs);
  const settings = readWorkerOptions(options as unknown as WorkerOptions<Record<string, object>>, names);
  requireHandlers(handlers, names, compiled);
  const { level, redact } = settings;
  const log = createProcessLog({ level, redact, sensitive: compiled.sensitive ?? [], name: "jobs" });
  const logger = log.loggerFor(() => ({}));
  const boss = new PgBoss(bossOptions(jobs, settings, names));
  let isPollingTold = false;
  boss.on("error", (error) => {
    if (!error.message.startsWith("LISTEN/NOTIFY")) logger.error("The queue of jobs failed", { error });
    else if (!isPollingTold) {
      // Behind a pooler in transaction mode, pg-boss reports this error every ten seconds, and no job is lost.
      isPollingTold = true;
      const { pollSeconds } = settings;
      logger.warn(
        `PostgreSQL may not notify the worker of new jobs, so the worker also asks for them every ${pollSeconds} s`,
        { error },
      );
    }
  });
  boss.on("warning", ({ message, data }) => logger.warn(message, data));
  await boss.start();
  const stopping = new AbortController();
  try {
    // The sender has created the queues. Their options may have changed since.
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop -- a few queues, on one connection
      await boss.updateQueue(name, jobs.queueOf(name));
    }
    await setSchedules(boss, settings, compiled);
    for (const name of names) {
      const handler = handlers[name as keyof Map] as JobHandler<unknown>;
      const runner = new JobRunner(name, compiled.jobs[name]!, handler, log, stopping.signal);
      // oxlint-disable-next-line no-await-in-loop -- only registers functions
      await register(boss, runner, settings);
    }
  } catch (error) {
    await boss.stop({ graceful: false });
    throw error;
  }
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    logger.info("The worker stops");
    const timer = setTimeout(() => stopping.abort(new Error("the worker stops")), settings.graceMs);
    await boss.stop({ graceful: true, timeout: settings.graceMs });
    clearTimeout(timer);
    await onStop();
    removeSignals?.();
  };
  const running: RunningWorker = { stop: () => (stopped ??= stop()) };
  const removeSignals = settings.signals
    ? closeOnSignal(running.stop, (error) => logger.fatal("The worker could not stop", { error }))
    : undefined;
  logger.info(`The worker does jobs: ${names.join(", ")}`);
  return running;
}

/** Starts to take jobs of one kind, as many at the same time as the settings allow. */
async function register(
  boss: PgBoss,
  runner: JobRunner,
  { concurrencyOf, pollSeconds }: ReadWorkerOptions,
): Promise<void> {
  const { name } = runner;
  const take = async (): Promise<void> => {
    let id: string | undefined;
    const run = async (batch: JobWithMetadata[]): Promise<JobResult[]> => {
      const results = await Promise.all(batch.map((job) => runner.run(job)));
      // Without this call, pg-boss would pause after each job, although others wait.
      if (id !== undefined) boss.notifyWorker(id);
      return results;
    };
    id = await boss.work(
      name,
      {
        includeMetadata: true,
        perJobResults: true,
        pollingIntervalSeconds: pollSeconds,
        // PostgreSQL notifies workers of new jobs only. Jobs that are tried again, or that start later, need the queries.
        notifyPollingIntervalSeconds: pollSeconds,
      },
      run,
    );
  };
  // pg-boss has one id for all jobs that it does at the same time, but only the first of them can be notified by it.
  await Promise.all(Array.from({ length: concurrencyOf(name) }, take));
}

function requireHandlers(handlers: object, names: readonly string[], { source }: CompiledJobs): void {
  const missing = names.filter(
    (name) => typeof (handlers as Readonly<Record<string, unknown>>)[name] !== "function",
  );
  const unknown = Object.keys(handlers).filter((name) => !names.includes(name));
  if (missing.length === 0 && unknown.length === 0) return;
  throw new StartError({
    problem: "the handlers of the worker do not fit the jobs",
    locations: [
      ...missing.map((name) => `- ${name} has no handler`),
      ...unknown.map((name) => `- ${name} is no job`),
      `declared at ${source.file}:${source.line}`,
    ],
    help: "give `work` one function for each job, and run `kit build` after a change of the jobs",
  });
}

function bossOptions(
  { pool, schema, migrate }: ReadJobsOptions,
  { concurrencyOf }: ReadWorkerOptions,
  names: readonly string[],
): ConstructorOptions & { readonly types: typeof standardTypes } {
  const jobsAtOnce = names.reduce((sum, name) => sum + concurrencyOf(name), 0);
  return {
    ...connectionOf(pool),
    types: standardTypes,
    schema,
    migrate,
    createSchema: migrate,
    application_name: "kit-jobs",
    max: Math.min(mostConnections, jobsAtOnce + extraConnections),
    useListenNotify: true,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    instanceHeartbeatSeconds: 10,
    // kit has its own spans, and pg-boss would describe each query for new jobs.
    openTelemetry: { enabled: false },
  };
}

function connectionOf({ options }: JobsPool): object {
  const given = options as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    connectionSettings.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}

/**
 * Writes the schedules of this list, and removes all others of the application: also those of jobs that its type no longer
 * contains. Each schedule has the names of all jobs of its application at that time, because another application may have
 * schedules in the same tables.
 */
async function setSchedules(
  boss: PgBoss,
  { schedules }: ReadWorkerOptions,
  { jobs }: CompiledJobs,
): Promise<void> {
  const wanted = new Set<string>();
  // pg-boss stores options that it does not know, and ignores them.
  const owner: { readonly [ownerOption]: readonly string[] } = { [ownerOption]: Object.keys(jobs) };
  for (const { job, cron, timeZone = "UTC", key = "", data } of schedules) {
    wanted.add(`${job} ${key}`);
    try {
      // oxlint-disable-next-line no-await-in-loop -- a few schedules, on one connection
      await boss.schedule(job, cron, wireOf(job, jobs[job]!, data), { tz: timeZone, key, ...owner });
    } catch (cause) {
      if (cause instanceof JobDataError) throw cause;
      throw new StartError({
        problem: `the schedule of the job ${job} is not valid: ${(cause as Error).message}`,
        locations: [`cron: ${cron}`, `timeZone: ${timeZone}`],
        help: 'write a cron expression such as "0 3 * * *"',
        cause,
      });
    }
  }
  const isOwn = (name: string): boolean => Object.hasOwn(jobs, name);
  for (const { name, key, options } of await boss.getSchedules()) {
    const known = (options as { readonly [ownerOption]?: readonly string[] } | null)?.[ownerOption] ?? [];
    if (wanted.has(`${name} ${key}`) || !(isOwn(name) || known.some(isOwn))) continue;
    // oxlint-disable-next-line no-await-in-loop -- a few schedules, on one connection
    await boss.unschedule(name, key);
  }
}

/**
 * Returns a text without the characters that PostgreSQL refuses in JSON: U+0000 and halves of surrogate pairs. Otherwise, pg-boss
 * would store the refusal in place of the message.
 */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u{FFFD}");
}

/** Does the jobs of one kind. */
class JobRunner {
  readonly name: string;
  readonly #compiled: CompiledJob;
  readonly #handler: JobHandler<unknown>;
  readonly #log: ReturnType<typeof createProcessLog>;
  readonly #stopping: AbortSignal;

  constructor(
    name: string,
    compiled: CompiledJob,
    handler: JobHandler<unknown>,
    log: ReturnType<typeof createProcessLog>,
    stopping: AbortSignal,
  ) {
    this.name = name;
    this.#compiled = compiled;
    this.#handler = handler;
    this.#log = log;
    this.#stopping = stopping;
  }

  /** Does a job, and returns its result for pg-boss. Never rejects. */
  async run(job: JobWithMetadata): Promise<JobResult> {
    const { id, retryCount, retryLimit } = job;
    const log = this.#log.loggerFor(() => ({ route: `JOB ${this.name}`, requestId: id }));
    try {
      const data = dataOf(this.name, this.#compiled, job.data);
      const signal = AbortSignal.any([job.signal, this.#stopping]);
      await this.#handler({ data, id, attempt: retryCount + 1, signal, log });
      return { id, status: "completed" };
    } catch (error) {
      const output = { message: storable(this.#log.messageOf(error)) };
      if (error instanceof JobDataError && error.job === this.name) {
        log.error("A job has data that does not fit its type, and is not tried again", { error });
        return { id, status: "deadletter", output };
      }
      const isLast = retryCount >= retryLimit;
      const attempt = retryCount + 1;
      log.error(isLast ? "A job failed for the last time" : "A job failed and is tried again", {
        error,
        attempt,
      });
      return { id, status: "failed", output };
    }
  }
}
