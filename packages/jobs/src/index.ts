/**
 * Jobs for kit: work that other processes do, stored in PostgreSQL in the transaction of the code that asks for the work.
 *
 * @module
 */
export { type JobConnection } from "./connection.ts";
export { JobDataError } from "./job-data.ts";
export { createJobs, type EnqueueOptions, type Jobs } from "./jobs.ts";
export type { JobsOptions, QueueOptions } from "./options.ts";
export { jobsTableSql, type JobsTableOptions } from "./tables.ts";
export type { JobHandler, JobHandlers, JobInput, RunningWorker } from "./worker.ts";
export type { JobSchedule, WorkerOptions } from "./worker-options.ts";
