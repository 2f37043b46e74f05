import { util } from "../node-modules.ts";
import { capturedLog } from "./captured-log.ts";
import type { LogEntry, LogLevel } from "./log-entry.ts";

/** Formats an entry as one or more lines. */
export type LogFormat = (entry: LogEntry) => string;

/** Formats an entry as one line of JSON, for programs. */
export const jsonFormat: LogFormat = (entry) => JSON.stringify(entry);

const colours: Readonly<Record<LogLevel, number>> = {
  trace: 90,
  debug: 36,
  info: 32,
  warn: 33,
  error: 31,
  fatal: 35,
};
const grey = 90;
const widthOfLevel = 5;

/** Returns the format for standard output: readable on a terminal in development, otherwise JSON. `kit test` reads JSON. */
export function stdoutFormat(isDevelopment: boolean): LogFormat {
  if (capturedLog() !== undefined) return jsonFormat;
  // Only development loads the module `node:tty`.
  if (!isDevelopment || !process.getBuiltinModule("node:tty").isatty(1)) return jsonFormat;
  // By convention, `NO_COLOR` with any value except the empty string disables colours.
  const hasColours = !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
  return readableFormat(hasColours);
}

/**
 * Returns a readable format: time of day, level, message and context, then the data and the stacks of errors.
 *
 * ```text
 * 14:03:07.512 INFO  Note created  GET /notes/:id handler 4bf92f35  id=7
 * ```
 */
export function readableFormat(hasColours: boolean): LogFormat {
  const painted = (colour: number, text: string): string =>
    hasColours ? `\u001b[${colour}m${text}\u001b[0m` : text;
  return ({ level, message, timestamp, route, phase, traceId, data }) => {
    const time = painted(grey, timeOfDay(timestamp));
    const name = painted(colours[level], level.toUpperCase().padEnd(widthOfLevel));
    const place = [route, phase, traceId?.slice(0, 8)].filter((part) => part !== undefined).join(" ");
    const { pairs, stacks } = readData(data);
    const rest = [place, pairs]
      .filter((part) => part !== "")
      .map((part) => `  ${painted(grey, clean(part))}`);
    const lines = stacks.map((stack) => `\n${indented(clean(stack))}`);
    return `${time} ${name} ${indented(clean(message)).trimStart()}${rest.join("")}${lines.join("")}`;
  };
}

const two = (value: number): string => String(value).padStart(2, "0");

/** Returns the local time of day: `14:03:07.512`. */
function timeOfDay(timestamp: string): string {
  const time = new Date(timestamp);
  const seconds = `${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, "0")}`;
  return `${two(time.getHours())}:${two(time.getMinutes())}:${seconds}`;
}

/** Formats the data as `id=7 name="Ada"`. The stacks of errors are separate, because they have several lines. */
function readData(data: unknown): { pairs: string; stacks: string[] } {
  if (data === undefined) return { pairs: "", stacks: [] };
  if (typeof data !== "object" || data === null || Array.isArray(data))
    return { pairs: shown(data), stacks: [] };
  const stacks: string[] = [];
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(data as Record<string, unknown>)) {
    const stack = (value as { stack?: unknown } | null | undefined)?.stack;
    if (typeof stack !== "string") pairs.push(`${name}=${shown(value)}`);
    else stacks.push(...stacksOf(value as Record<string, unknown>));
  }
  return { pairs: pairs.join(" "), stacks };
}

/** Returns the stacks of an error and its causes. Further properties follow the stack of their error. */
function stacksOf(error: Readonly<Record<string, unknown>>): string[] {
  const { name: _name, message: _message, stack, cause, ...others } = error;
  const more = Object.keys(others).length === 0 ? "" : `\n    ${shown(others)}`;
  const own = `${String(stack)}${more}`;
  if (typeof cause !== "object" || cause === null) return [own];
  const next = cause as Readonly<Record<string, unknown>>;
  const [first = "", ...rest] = typeof next["stack"] === "string" ? stacksOf(next) : [shown(cause)];
  return [own, `caused by ${first}`, ...rest];
}

function shown(value: unknown): string {
  return (
    util
      .inspect(value, { depth: 12, breakLength: Number.POSITIVE_INFINITY, compact: true })
      // Data that was copied for the log has no prototype. The note of `inspect` about that is noise.
      .replaceAll("[Object: null prototype] ", "")
  );
}

/** Replaces control characters, which could move the cursor or change colours: strings may come from clients. */
function clean(text: string): string {
  return (
    util
      .stripVTControlCharacters(text)
      // eslint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) => {
        const code = character.charCodeAt(0).toString(16).padStart(4, "0");
        return `\\u${code}`;
      })
  );
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
