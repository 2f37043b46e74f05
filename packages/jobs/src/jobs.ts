import type { Plugin } from "@kit/core";
import { checkVersion, loadJobs, StartError } from "@kit/core/process";
import type { CompiledJob, CompiledJobs, JobsReport } from "@kit/types";
import { PgBoss } from "pg-boss";

import { callersDatabase, databaseOf, type JobConnection } from "./connection.ts";
import { wireOf } from "./job-data.ts";
import { type JobsOptions, type ReadJobsOptions, readOptions, requireKnown } from "./options.ts";
import { reportOf } from "./report.ts";
import { type JobHandlers, type RunningWorker, startWorker } from "./worker.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** Options of {@link Jobs.enqueue}. */
export interface EnqueueOptions {
  /** Time before which the job does not start: a `Date`, or a number of seconds from now. Default: now. */
  readonly startAfter?: Date | number;
  /** Jobs with a higher priority start first. A whole number. Default 0. */
  readonly priority?: number;
}

/** Id that no job has. */
const noJob = "00000000-0000-0000-0000-000000000000";

const knownOptions: Readonly<Record<keyof EnqueueOptions, true>> = { startAfter: true, priority: true };

/** Jobs of an application, by their names. */
export interface Jobs<Map extends object> {
  /**
   * Plugin of the application. It checks the tables when the application starts, lets the debug sidecar show the jobs, and
   * closes its connections when the application stops.
   */
  readonly plugin: Plugin;
  /**
   * Stores a job, which a worker then does. In a transaction, the job exists only if the transaction commits. Returns the id
   * of the job.
   *
   * @param connection - Context of a request or a transaction, or a connection of pg, drizzle or Kysely.
   * @throws {JobDataError} If the data does not fit the type of the job.
   */
  enqueue<Name extends keyof Map & string>(
    connection: JobConnection,
    name: Name,
    data: Map[Name],
    options?: EnqueueOptions,
  ): Promise<string>;
  /** Stores several jobs of one kind with one query. Returns their ids. */
  enqueueAll<Name extends keyof Map & string>(
    connection: JobConnection,
    name: Name,
    list: readonly Map[Name][],
    options?: EnqueueOptions,
  ): Promise<string[]>;
  /**
   * Starts to do jobs in this process, which should be a separate process. Every job needs a handler. After SIGTERM or
   * SIGINT, the worker takes no more jobs, and waits for the jobs in progress.
   */
  work(handlers: JobHandlers<Map>, options?: WorkerOptions<Map>): Promise<RunningWorker>;
  /** Returns the numbers of jobs by their state, the last failures, and the workers. */
  report(): Promise<JobsReport>;
  /**
   * Stops the instance of pg-boss that `enqueue` has started. The pool stays open. The plugin does the same when the
   * application stops.
   */
  close(): Promise<void>;
}

/**
 * Declares the jobs of an application. `kit build` finds the call, and generates the functions that check the data of the jobs.
 *
 * @param options - The pool, and options with defaults.
 * @throws {TypeError} If an option is unknown or invalid.
 * @example
 * ```ts
 * export interface AppJobs {
 *   "send-mail": { to: string; subject: string };
 * }
 *
 * export const jobs = createJobs<AppJobs>({ pool });
 *
 * await transaction(ctx, pool, async (tx) => {
 *   await dbOf(tx).insert(orders).values(body);
 *   await jobs.enqueue(tx, "send-mail", { to: body.email, subject: "Your order" });
 * });
 * ```
 */
export function createJobs<Map extends object = never>(options: JobsOptions<Map>): Jobs<Map> {
  return new JobsOfApplication<Map>(readOptions(options));
}

class JobsOfApplication<Map extends object> implements Jobs<Map> {
  readonly plugin: Plugin;
  readonly #options: ReadJobsOptions;
  #compiled: Promise<CompiledJobs> | undefined;
  #boss: Promise<PgBoss> | undefined;

  constructor(options: ReadJobsOptions) {
    this.#options = options;
    this.plugin = {
      name: "jobs",
      onStart: async () => void (await this.#sender()),
      onStop: () => this.close(),
      jobs: { report: () => this.report() },
    };
  }

  async enqueue<Name extends keyof Map & string>(
    connection: JobConnection,
    name: Name,
    data: Map[Name],
    options: EnqueueOptions = {},
  ): Promise<string> {
    const [id] = await this.enqueueAll(connection, name, [data], options);
    return id!;
  }

  async enqueueAll<Name extends keyof Map & string>(
    connection: JobConnection,
    name: Name,
    list: readonly Map[Name][],
    options: EnqueueOptions = {},
  ): Promise<string[]> {
    const { startAfter, priority } = readEnqueueOptions(options);
    const compiled = await this.#jobOf(name);
    const entries = list.map((data) => ({
      data: wireOf(name, compiled, data),
      ...(startAfter !== undefined && { startAfter }),
      ...(priority !== undefined && { priority }),
    }));
    if (entries.length === 0) return [];
    const db = await callersDatabase(connection, this.#options.pool);
    const boss = await this.#sender();
    return (await boss.insert(name, entries, { db, returnId: true })) ?? [];
  }

  async work(handlers: JobHandlers<Map>, options: WorkerOptions<Map> = {}): Promise<RunningWorker> {
    const compiled = await this.#load();
    // A handler that enqueues a job in a transaction holds a connection of the pool. If the sender started only then, it would
    // need another connection, and handlers that hold all connections would wait for each other.
    await this.#sender();
    try {
      return await startWorker(handlers, options, compiled, this.#options, () => this.close());
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async report(): Promise<JobsReport> {
    const { jobs } = await this.#load();
    return reportOf(await this.#sender(), Object.keys(jobs), this.#options);
  }

  async close(): Promise<void> {
    const starting = this.#boss;
    this.#boss = undefined;
    const boss = await starting?.catch(() => undefined);
    await boss?.stop({ graceful: false });
  }

  #load(): Promise<CompiledJobs> {
    this.#compiled ??= this.#loadOnce().catch((error: unknown) => {
      this.#compiled = undefined;
      throw error;
    });
    return this.#compiled;
  }

  async #loadOnce(): Promise<CompiledJobs> {
    const { compiled, named } = this.#options;
    const found =
      compiled === undefined
        ? await loadJobs()
        : checkVersion<CompiledJobs>(compiled, "the option `compiled` of createJobs");
    const unknown = named.find((name) => !Object.hasOwn(found.jobs, name));
    if (unknown === undefined) return found;
    throw new StartError({
      problem: `\`queues\` of createJobs has options of ${unknown}, which is no job`,
      locations: [`the jobs are declared at ${found.source.file}:${found.source.line}`],
      help: "remove the options, or declare the job and run `kit build`",
    });
  }

  async #jobOf(name: string): Promise<CompiledJob> {
    const { jobs } = await this.#load();
    if (Object.hasOwn(jobs, name)) return jobs[name]!;
    throw new TypeError(`enqueue: there is no job ${name}; the jobs are ${Object.keys(jobs).join(", ")}`);
  }

  /** Returns the instance of pg-boss that stores jobs and does none. Starts it at the first call. */
  #sender(): Promise<PgBoss> {
    this.#boss ??= this.#startSender().catch((error: unknown) => {
      this.#boss = undefined;
      throw error;
    });
    return this.#boss;
  }

  async #startSender(): Promise<PgBoss> {
    const { pool, schema, migrate, queueOf } = this.#options;
    const { jobs } = await this.#load();
    const boss = new PgBoss({
      db: databaseOf(pool),
      schema,
      migrate,
      createSchema: migrate,
      supervise: false,
      schedule: false,
      registerInstance: false,
    });
    // Without a listener, an error of a timer would end the process. Each call reports its own errors.
    boss.on("error", () => {});
    await boss.start();
    for (const name of Object.keys(jobs)) {
      // oxlint-disable no-await-in-loop -- a few queues, on one connection
      await boss.createQueue(name, queueOf(name));
      // pg-boss reads a queue that it does not know at the first job. This must not happen while the caller holds the last
      // connection of the pool.
      await boss.findJobs(name, { id: noJob });
      // oxlint-enable no-await-in-loop
    }
    return boss;
  }
}

function readEnqueueOptions(options: EnqueueOptions): EnqueueOptions {
  requireKnown(options, knownOptions, "enqueue: ");
  const { startAfter, priority } = options;
  const isTime =
    startAfter === undefined ||
    (startAfter instanceof Date
      ? !Number.isNaN(startAfter.getTime())
      : Number.isSafeInteger(startAfter) && startAfter >= 0);
  if (!isTime)
    throw new TypeError(
      `enqueue: \`startAfter\` must be a Date or a whole number of seconds, not ${String(startAfter)}`,
    );
  if (priority !== undefined && !Number.isSafeInteger(priority))
    throw new TypeError(`enqueue: \`priority\` must be a whole number, not ${String(priority)}`);
  return options;
}
