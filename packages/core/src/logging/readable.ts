import { isatty } from "node:tty";
import { inspect, stripVTControlCharacters } from "node:util";

import type { LogEntry, LogLevel } from "./log-entry.ts";

/** Writes an entry as a line, or some lines, of text. */
export type LogFormat = (entry: LogEntry) => string;

/** One line of JSON, for programs. */
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

/** How entries are written to standard output: for people on a terminal in development, as JSON everywhere else. */
export function stdoutFormat(isDevelopment: boolean): LogFormat {
  if (!isDevelopment || !isatty(1)) return jsonFormat;
  // To anything, as its convention has it.
  const hasColours = !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
  return readableFormat(hasColours);
}

/**
 * For people: time of day, level, message, place, then the data and the stacks of errors.
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

/** As the clock on the wall. */
function timeOfDay(timestamp: string): string {
  const time = new Date(timestamp);
  const seconds = `${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, "0")}`;
  return `${two(time.getHours())}:${two(time.getMinutes())}:${seconds}`;
}

/** `id=7 name="Ada"`, and apart from that the stacks of errors, which are read line by line. */
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

/** Of an error and what caused it; what else it has stands behind its first line. */
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
    inspect(value, { depth: 12, breakLength: Number.POSITIVE_INFINITY, compact: true })
      // What was copied for the log has no prototype, which is of no interest here.
      .replaceAll("[Object: null prototype] ", "")
  );
}

/** Without what would move the cursor or paint the terminal: texts come from clients too. */
function clean(text: string): string {
  return (
    stripVTControlCharacters(text)
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
