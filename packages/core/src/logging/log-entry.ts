import type { LogLevel } from "@kit/types";

export type { LogEntry, Logger, LogLevel } from "@kit/types";

/** Severity number of every level, as in OpenTelemetry. */
export const severityOf: Readonly<Record<LogLevel, number>> = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
};
