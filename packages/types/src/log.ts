/** How grave a log entry is, in ascending order. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal";

/** What a log sink receives. Fields that the place of logging does not have are absent. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly traceId?: string;
  /** 16 hexadecimal digits: the span in which the entry was written. Only while spans are recorded. */
  readonly spanId?: string;
  /** `GET /notes/:id`. */
  readonly route?: string;
  /** The phase in which the entry was written: `middleware:auth`, `handler`. */
  readonly phase?: string;
  readonly requestId?: string;
  /** The server adapter's name. */
  readonly serverAdapter: string;
  /** What the call gave, made fit for JSON and redacted. */
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
  /** For following the program's steps. */
  trace(message: string, data?: object): void;
  /** For finding faults. */
  debug(message: string, data?: object): void;
  /** What operators want to know; the default threshold. */
  info(message: string, data?: object): void;
  /** Something is odd, nothing failed. */
  warn(message: string, data?: object): void;
  /** Something failed. */
  error(message: string, data?: object): void;
  /** The process cannot go on. */
  fatal(message: string, data?: object): void;
}
