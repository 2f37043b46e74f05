/** State of the jobs of an application, as the debug sidecar shows it. */
export interface JobsReport {
  /** Kinds of jobs, in the order of their type. */
  readonly queues: readonly QueueReport[];
  /** Last jobs that failed for the last time, newest first. */
  readonly failures: readonly JobFailure[];
  /** Processes that do jobs. */
  readonly workers: readonly JobWorker[];
  /** Schedules that workers follow. */
  readonly schedules: readonly JobScheduleReport[];
}

/** Numbers of jobs of one kind. */
export interface QueueReport {
  readonly name: string;
  /** Jobs that wait for a worker. */
  readonly waiting: number;
  /** Jobs that start later: new ones with a time, and failed ones that are tried again. */
  readonly later: number;
  /** Jobs in progress. */
  readonly active: number;
  /** Jobs that are done, and are still kept. */
  readonly completed: number;
  /** Jobs that failed for the last time, and are still kept. */
  readonly failed: number;
  /** Seconds for which the oldest job waits. `null` if no job waits. */
  readonly oldestSeconds: number | null;
}

/** Job that failed for the last time. */
export interface JobFailure {
  readonly id: string;
  readonly name: string;
  readonly attempts: number;
  /** Time of the last failure, in ISO 8601. */
  readonly at: string;
  /** Message of the error. `null` if the worker was killed. */
  readonly message: string | null;
}

/** Process that does jobs. */
export interface JobWorker {
  readonly host: string;
  readonly pid: number;
  /** Start of the process, in ISO 8601. */
  readonly startedAt: string;
  /** Number of its jobs in progress, some seconds ago. */
  readonly active: number;
}

/** Schedule of a job. */
export interface JobScheduleReport {
  readonly name: string;
  readonly key: string;
  readonly cron: string;
  readonly timeZone: string;
}

/** Source of reports about jobs: the property `jobs` of a plugin. */
export interface JobsSource {
  /** Reads the state of the jobs from the database. */
  report(): Promise<JobsReport>;
}
