import { type LogEntry, type Logger, type LogLevel, severityOf } from "./log-entry.ts";
import { boundedText, toLoggable } from "./loggable.ts";
import { jsonFormat, type LogFormat } from "./readable.ts";
import type { Redactor } from "./redact.ts";
import { isoNow } from "../iso-now.ts";
import { isThenable } from "../thenable.ts";
import type { LineSink } from "./stdout-sink.ts";

/** Where an entry was written. */
export interface LogPlace {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly route?: string | undefined;
  readonly phase?: string | undefined;
  readonly requestId?: string | undefined;
}

/** How an application logs. */
export interface LogOptions {
  /** Entries below it are not made. */
  readonly level: LogLevel;
  readonly redactor: Redactor;
  readonly serverAdapter: string;
  /** Gets each entry as a line. */
  readonly lines: LineSink;
  /** How that is written; default one line of JSON. */
  readonly format?: LogFormat;
  /** Others that get each entry; they may throw. */
  readonly sinks: readonly LogSink[];
}

/** Gets each entry. `json` gives it as JSON, which is made at most once for all. */
export type LogSink = (entry: LogEntry, json: () => string) => void;

/** The application's log: makes entries and hands them to the sinks. */
export class Log {
  readonly #options: LogOptions;
  readonly #sinks: LogSink[];
  readonly #threshold: number;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#sinks = [...options.sinks];
    this.#threshold = severityOf[options.level];
  }

  /** Another one that gets each entry from now on. */
  addSink(sink: LogSink): void {
    this.#sinks.push(sink);
  }

  /** Whether entries of a level are made. */
  makes(level: LogLevel): boolean {
    return severityOf[level] >= this.#threshold;
  }

  /** A text as an entry would have it: bounded, and without what is hidden. */
  text(text: string): string {
    return this.#options.redactor.text(boundedText(text));
  }

  /** A logger whose entries carry what `place` says when they are written. */
  at(place: () => LogPlace): Logger {
    return new PlacedLogger(this, place);
  }

  /** Writes an entry. Never throws. */
  write(level: LogLevel, message: string, data: unknown, place: () => LogPlace): void {
    if (!this.makes(level)) return;
    const { serverAdapter, redactor, lines, format = jsonFormat } = this.#options;
    const { traceId, spanId, route, phase, requestId } = place();
    // Member by member: spreading what is there costs several times as much.
    const entry: Mutable<LogEntry> = {
      level,
      // Bounded like the data: libraries put whole statements with their values into the messages of their errors.
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
    if (this.#sinks.length > 0) this.#tell(entry, format === jsonFormat ? line : undefined);
  }

  #tell(entry: LogEntry, line: string | undefined): void {
    const { redactor, lines, format = jsonFormat } = this.#options;
    let text = line;
    const json = (): string => (text ??= jsonFormat(entry));
    for (const sink of this.#sinks) {
      // Not through the log: the sink would be asked again.
      const onFailure = (error: unknown): void => {
        const failed = { level: "error", message: "A log sink failed" } as const;
        lines.write(format({ ...entry, ...failed, data: toLoggable({ error }, redactor) }));
      };
      try {
        const result: unknown = sink(entry, json);
        // Nobody awaits it, and a rejection that nobody catches ends the process.
        if (isThenable(result)) result.then(undefined, onFailure);
      } catch (error) {
        onFailure(error);
      }
    }
  }
}

type Mutable<T> = { -readonly [TKey in keyof T]: T[TKey] };

/** Of a message that is no text, which only a program without types gives. */
function messageText(loggable: unknown): string {
  // What is loggable has no prototype, and so no text of its own.
  return typeof loggable === "object" ? JSON.stringify(loggable) : String(loggable);
}

class PlacedLogger implements Logger {
  readonly #log: Log;
  readonly #place: () => LogPlace;

  constructor(log: Log, place: () => LogPlace) {
    this.#log = log;
    this.#place = place;
  }

  trace(message: string, data?: object): void {
    this.#log.write("trace", message, data, this.#place);
  }

  debug(message: string, data?: object): void {
    this.#log.write("debug", message, data, this.#place);
  }

  info(message: string, data?: object): void {
    this.#log.write("info", message, data, this.#place);
  }

  warn(message: string, data?: object): void {
    this.#log.write("warn", message, data, this.#place);
  }

  error(message: string, data?: object): void {
    this.#log.write("error", message, data, this.#place);
  }

  fatal(message: string, data?: object): void {
    this.#log.write("fatal", message, data, this.#place);
  }
}
