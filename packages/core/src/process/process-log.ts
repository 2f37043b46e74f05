import { environmentOf } from "../environment.ts";
import { ignoreStdioErrors } from "../app/ignore-stdio-errors.ts";
import { textForLog } from "../errors/error-text.ts";
import { credentialNames } from "../logging/credentials.ts";
import type { Logger, LogLevel } from "../logging/log-entry.ts";
import { Log, type LogContext } from "../logging/log.ts";
import { boundedText } from "../logging/loggable.ts";
import { stdoutFormat } from "../logging/readable.ts";
import { compileRedactor, redacted } from "../logging/redact.ts";
import { stdoutSink } from "../logging/stdout-sink.ts";

/** Options of {@link createProcessLog}. */
export interface ProcessLogOptions {
  /** Minimum level of entries. */
  readonly level: LogLevel;
  /** Properties with values to hide, in the syntax of `logging.redact` of `createApp`, in addition to credentials. */
  readonly redact: readonly string[];
  /** Names of all `@sensitive` properties. */
  readonly sensitive: readonly string[];
  /** Value of the field `serverAdapter` of each entry. */
  readonly name: string;
}

/** Log of a process that serves no requests. */
export interface ProcessLog {
  /** Returns a logger. It calls `context` for each entry and adds the result to the entry. */
  loggerFor(context: () => LogContext): Logger;
  /**
   * Returns the message of an error as the log shows it in `data.error`: without parameters of queries and other hidden values,
   * and of limited length. For places that store messages, such as the output of a job. Never throws.
   */
  messageOf(error: unknown): string;
}

/**
 * Creates a log that writes to standard output in the format of the log of an application, and hides the same values.
 *
 * @throws {TypeError} If a pattern of `redact` is invalid.
 */
export function createProcessLog({ level, redact, sensitive, name }: ProcessLogOptions): ProcessLog {
  ignoreStdioErrors();
  const redactor = compileRedactor([...credentialNames, ...redact]);
  redactor.hideNames(sensitive);
  const log = new Log({
    level,
    redactor,
    serverAdapter: name,
    lines: stdoutSink(),
    format: stdoutFormat(environmentOf() === "development"),
    sinks: [],
  });
  return {
    loggerFor: (context) => log.loggerFor(context),
    messageOf(error) {
      if (redactor.hidesByPattern(["data", "error", "message"])) return redacted;
      return redactor.redactMessage(boundedText(textForLog(error)));
    },
  };
}
