import { type LogEntry, type Logger, type LogLevel, severityOf } from "./log-entry.ts";
import { boundedText, toLoggable } from "./loggable.ts";
import { jsonFormat, type LogFormat } from "./readable.ts";
import type { Redactor } from "./redact.ts";
import { isoNow } from "../iso-now.ts";
import { isThenable } from "../thenable.ts";
import type { LineSink } from "./stdout-sink.ts";

/** Request data of a log entry. */
export interface LogContext {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly route?: string | undefined;
  readonly phase?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Options of a log. */
export interface LogOptions {
  /** Minimum level of entries. */
  readonly level: LogLevel;
  readonly redactor: Redactor;
  readonly serverAdapter: string;
  /** Sink that receives each entry as a line. */
  readonly lines: LineSink;
  /** Format of the lines. Default: one line of JSON. */
  readonly format?: LogFormat;
  /** Other sinks that receive each entry. The sinks may throw. */
  readonly sinks: readonly LogSink[];
}

/** Receives each entry. `json` returns the entry as JSON, which is created at most once for all sinks. */
export type LogSink = (entry: LogEntry, json: () => string) => void;

/** Log of the application: creates entries and passes them to the sinks. */
export class Log {
  readonly #options: LogOptions;
  readonly #sinks: LogSink[];
  readonly #threshold: number;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#sinks = [...options.sinks];
    this.#threshold = severityOf[options.level];
  }

  /** Adds a sink, which receives each entry from now on. */
  addSink(sink: LogSink): void {
    this.#sinks.push(sink);
  }

  /** Returns true if entries of a level are written. */
  isEnabled(level: LogLevel): boolean {
    return severityOf[level] >= this.#threshold;
  }

  /** Returns a string in the form that log entries have: of limited length, and without hidden values. */
  text(text: string): string {
    return this.#options.redactor.redactMessage(boundedText(text));
  }

  /** Returns a logger. It calls `context` for each entry and adds the result to the entry. */
  loggerFor(context: () => LogContext): Logger {
    return new ContextLogger(this, context);
  }

  /** Writes an entry. Never throws. */
  write(level: LogLevel, message: string, data: unknown, context: () => LogContext): void {
    if (!this.isEnabled(level)) return;
    const { serverAdapter, redactor, lines, format = jsonFormat } = this.#options;
    const { traceId, spanId, route, phase, requestId } = context();
    // Assigning single properties is several times faster than a spread.
    const entry: Mutable<LogEntry> = {
      level,
      // The message is bounded like the data, because libraries put entire statements with their values into error
      // messages.
      message: this.text(typeof message === "string" ? message : messageText(toLoggable(message, redactor))),
      timestamp: isoNow(),
    } as LogEntry;
    if (traceId !== undefined) entry.traceId = traceId;
    if (spanId !== undefined) entry.spanId = spanId;
    if (route !== undefined) entry.route = route;
    if (phase !== undefined) entry.phase = phase;
    if (requestId !== undefined) entry.requestId = requestId;
    entry.serverAdapter = serverAdapter;
    if (data !== undefined) entry.data = toLoggable(data, redactor);
    const line = format(entry);
    lines.write(line);
    if (this.#sinks.length > 0) this.#notifySinks(entry, format === jsonFormat ? line : undefined);
  }

  #notifySinks(entry: LogEntry, line: string | undefined): void {
    const { redactor, lines, format = jsonFormat } = this.#options;
    let text = line;
    const json = (): string => (text ??= jsonFormat(entry));
    for (const sink of this.#sinks) {
      // The failure is not written through the log, because the log would call the failing sink again.
      const onFailure = (error: unknown): void => {
        const failed = { level: "error", message: "A log sink failed" } as const;
        lines.write(format({ ...entry, ...failed, data: toLoggable({ error }, redactor) }));
      };
      try {
        const result: unknown = sink(entry, json);
        // The result is not awaited, and an unhandled rejection would end the process.
        if (isThenable(result)) result.then(undefined, onFailure);
      } catch (error) {
        onFailure(error);
      }
    }
  }
}

type Mutable<T> = { -readonly [TKey in keyof T]: T[TKey] };

/**
 * Converts a message to a string if it is not a string, which only programs without type checking can cause.
 */
function messageText(loggable: unknown): string {
  // A loggable object has no prototype and therefore no `toString`.
  return typeof loggable === "object" ? JSON.stringify(loggable) : String(loggable);
}

class ContextLogger implements Logger {
  readonly #log: Log;
  readonly #context: () => LogContext;

  constructor(log: Log, place: () => LogContext) {
    this.#log = log;
    this.#context = place;
  }

  trace(message: string, data?: object): void {
    this.#log.write("trace", message, data, this.#context);
  }

  debug(message: string, data?: object): void {
    this.#log.write("debug", message, data, this.#context);
  }

  info(message: string, data?: object): void {
    this.#log.write("info", message, data, this.#context);
  }

  warn(message: string, data?: object): void {
    this.#log.write("warn", message, data, this.#context);
  }

  error(message: string, data?: object): void {
    this.#log.write("error", message, data, this.#context);
  }

  fatal(message: string, data?: object): void {
    this.#log.write("fatal", message, data, this.#context);
  }
}
