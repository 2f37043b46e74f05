import type { CompiledJobs } from "@kit/types";

import type { JobsPool } from "./connection.ts";

/** Options of `createJobs`. */
export interface JobsOptions<Map extends object> {
  /** Pool of the package `pg`. Contexts of kit enqueue jobs on its connections. */
  readonly pool: JobsPool;
  /** Schema of the tables of jobs. Default `pgboss`. */
  readonly schema?: string;
  /**
   * False if another role creates the tables of jobs with the SQL of `jobsTableSql`. By default, they are created and
   * updated when the first job is enqueued and when a worker starts.
   */
  readonly migrate?: boolean;
  /** Options of single jobs, by name. */
  readonly queues?: { readonly [Name in keyof Map]?: QueueOptions };
  /**
   * Default export of `.kit/jobs.ts`. Needed only in a bundle, because the module is otherwise found in the project's
   * directory.
   */
  readonly compiled?: CompiledJobs;
}

/** Options of one kind of job. */
export interface QueueOptions {
  /** Number of further attempts after a failure, from 0 to 100. A worker that was killed counts as a failure. Default 5. */
  readonly retries?: number;
  /** Seconds before the first further attempt. The time doubles with each attempt, up to an hour. Default 10. */
  readonly retryDelaySeconds?: number;
  /** Maximum duration of an attempt in seconds, from 1 to 86,400. Default 900. */
  readonly timeoutSeconds?: number;
  /**
   * Seconds after which the job of a worker that was killed is given to another worker, from 10 to 3,600. Default 20. The
   * worker reports that it is alive in half of this time.
   */
  readonly heartbeatSeconds?: number;
  /** Days for which jobs are kept that failed, or that are done. Default 7. */
  readonly keepDays?: number;
}

const known: Readonly<Record<keyof JobsOptions<object>, true>> = {
  pool: true,
  schema: true,
  migrate: true,
  queues: true,
  compiled: true,
};

/** Ranges of the options of queues. All values are whole numbers. */
const ranges: Readonly<Record<keyof QueueOptions, readonly [least: number, most: number]>> = {
  retries: [0, 100],
  retryDelaySeconds: [1, 3_600],
  timeoutSeconds: [1, 86_400],
  heartbeatSeconds: [10, 3_600],
  keepDays: [1, 365],
};

const defaults: Readonly<Record<keyof QueueOptions, number>> = {
  retries: 5,
  retryDelaySeconds: 10,
  timeoutSeconds: 900,
  heartbeatSeconds: 20,
  keepDays: 7,
};

/**
 * Time in seconds after which pg-boss deletes a job that nobody has done: ten years. By default, pg-boss deletes such a job after 14
 * days without a word, for example if no worker runs.
 */
const waitingSeconds = 3_650 * 86_400;

/** Options of a queue in the form that pg-boss accepts. */
export interface BossQueue {
  readonly retryLimit: number;
  readonly retryDelay: number;
  readonly retryBackoff: true;
  readonly retryDelayMax: number;
  readonly expireInSeconds: number;
  readonly heartbeatSeconds: number;
  readonly deleteAfterSeconds: number;
  readonly retentionSeconds: number;
  readonly notify: true;
}

/** Validated options with their defaults. */
export interface ReadJobsOptions {
  readonly pool: JobsPool;
  readonly schema: string;
  readonly migrate: boolean;
  readonly compiled: CompiledJobs | undefined;
  /** Names of the jobs in the option `queues`. */
  readonly named: readonly string[];
  queueOf(name: string): BossQueue;
}

/** @throws {TypeError} If an option is unknown or invalid. The message names the option. */
export function readOptions<Map extends object>(options: JobsOptions<Map>): ReadJobsOptions {
  requireKnown(options, known, "createJobs: ");
  const { pool, schema = "pgboss", migrate = true, queues = {}, compiled } = options;
  const isPool = typeof (pool as Partial<JobsPool> | undefined)?.query === "function";
  if (!isPool || typeof pool.options !== "object")
    throw new TypeError("createJobs: `pool` must be a pool of the package pg");
  if (typeof schema !== "string" || !/^[a-z_][a-z0-9_]{0,49}$/.test(schema)) {
    throw new TypeError(
      `createJobs: \`schema\` must be a name of at most 50 lower-case letters, digits and underscores, not ${String(schema)}`,
    );
  }
  if (typeof migrate !== "boolean") throw new TypeError("createJobs: `migrate` must be true or false");
  const ofQueues = new Map(Object.entries(queues as Readonly<Record<string, QueueOptions>>));
  for (const [name, queue] of ofQueues) {
    requireKnown(queue, ranges, `createJobs: \`queues\` of ${name}: `);
    for (const [option, value] of Object.entries(queue) as [keyof QueueOptions, number][])
      requireInteger(value, ranges[option], `createJobs: \`${option}\` of the job ${name}`);
  }
  return {
    pool,
    schema,
    migrate,
    compiled,
    named: [...ofQueues.keys()],
    queueOf: (name) => {
      const { retries, retryDelaySeconds, timeoutSeconds, heartbeatSeconds, keepDays } = {
        ...defaults,
        ...ofQueues.get(name),
      };
      return {
        retryLimit: retries,
        retryDelay: retryDelaySeconds,
        retryBackoff: true,
        retryDelayMax: 3_600,
        expireInSeconds: timeoutSeconds,
        heartbeatSeconds,
        deleteAfterSeconds: keepDays * 86_400,
        retentionSeconds: waitingSeconds,
        notify: true,
      };
    },
  };
}

/** @throws {TypeError} If an object has a property that is not in `names`. */
export function requireKnown(value: object, names: Readonly<Record<string, unknown>>, where: string): void {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  throw new TypeError(
    `${where}there is no option \`${unknown}\`; the options are ${Object.keys(names).join(", ")}`,
  );
}

/** @throws {TypeError} If a value is not a whole number in the range. */
export function requireInteger(
  value: unknown,
  [least, most]: readonly [least: number, most: number],
  what: string,
): void {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return;
  throw new TypeError(`${what} must be a whole number from ${least} to ${most}, not ${String(value)}`);
}
