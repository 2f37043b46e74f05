/**
 * Parts of the runtime for processes that serve no requests, such as workers of jobs. Exported as `@kit/core/process`.
 *
 * @module
 */
export { checkVersion, loadJobs } from "../app/find-compiled.ts";
export { closeOnSignal } from "../app/signals.ts";
export { showStartErrors, StartError, type StartErrorParts } from "../app/start-error.ts";
export { severityOf } from "../logging/log-entry.ts";
export { isMilliseconds, longestTimeoutMs } from "../app/milliseconds.ts";
export { createProcessLog, type ProcessLog, type ProcessLogOptions } from "./process-log.ts";
