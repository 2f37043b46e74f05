/** Severity of a log entry, in ascending order. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal";

/** Log entry that a sink receives. Fields that are unknown at the location of the log call are absent. */
export interface LogEntry {
  /** Severity of the entry. */
  readonly level: LogLevel;
  /** Message of the entry, of limited length. */
  readonly message: string;
  /** Time in ISO 8601. */
  readonly timestamp: string;
  /** Trace id of the request: 32 hexadecimal digits. */
  readonly traceId?: string;
  /** Span in which the entry was written: 16 hexadecimal digits. Present only while spans are recorded. */
  readonly spanId?: string;
  /** Route of the request, such as `GET /notes/:id`. */
  readonly route?: string;
  /** Phase in which the entry was written: `middleware:auth`, `handler`. */
  readonly phase?: string;
  /** Id of the request. */
  readonly requestId?: string;
  /** Name of the server adapter. */
  readonly serverAdapter: string;
  /** Data of the log call, converted to JSON values and redacted. */
  readonly data?: unknown;
}

/**
 * Writes log entries.
 *
 * @example
 * ```ts
 * ctx.log.info("Note created", { id: note.id });
 * ctx.log.error("Mail could not be sent", { error });
 * ```
 */
export interface Logger {
  /** Writes an entry about a step of the program. */
  trace(message: string, data?: object): void;
  /** Writes an entry that helps to find a fault. */
  debug(message: string, data?: object): void;
  /** Writes an entry for operators. `info` is the default minimum level. */
  info(message: string, data?: object): void;
  /** Writes an entry about an unusual event that is not a failure. */
  warn(message: string, data?: object): void;
  /** Writes an entry about a failure. */
  error(message: string, data?: object): void;
  /** Writes an entry about a failure after which the process cannot continue. */
  fatal(message: string, data?: object): void;
}
