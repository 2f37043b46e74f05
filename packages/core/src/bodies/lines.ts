/** JSON Lines: one JSON value on each line, which ends with LF or CRLF. */
import { isUtf8 } from "node:buffer";

import type { Serializer, ValidationFailure, Validator } from "@kit/types";

import type { StreamLog } from "../observe/streams.ts";
import { findUnstorable } from "../unstorable-characters.ts";
import { CollectedBytes } from "./collected-bytes.ts";
import { mapIterator } from "./value-iterator.ts";

/** Maximum number of bytes of one line of a request. The whole line is in memory while it is parsed. */
export const greatestLine: number = 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Returns the values of the lines in a body. A line is parsed and checked when it is read, so a broken line fails after the
 * values before it. The end of the body after a line break is no line.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  validator: Validator<unknown>,
  refuse: (failures: readonly ValidationFailure[]) => Error,
): AsyncGenerator<unknown, void, undefined> {
  let number = 0;
  // Bytes of the line whose end has not arrived.
  const line = new CollectedBytes();
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      line.add(chunk.subarray(start, end));
      refuseLong(line.length, number, refuse);
      yield readLine(line.take(), number, validator, refuse);
      number += 1;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    line.add(chunk.subarray(start));
    refuseLong(line.length, number, refuse);
  }
  if (line.length > 0) yield readLine(line.take(), number, validator, refuse);
}

function refuseLong(
  length: number,
  number: number,
  refuse: (failures: readonly ValidationFailure[]) => Error,
): void {
  if (length <= greatestLine) return;
  const expected = `a line of at most ${greatestLine} bytes`;
  const path = `$[${number}]`;
  throw refuse([{ path, expected, received: "a longer line", rule: "maxBytes", limit: greatestLine }]);
}

function readLine(
  bytes: Buffer,
  number: number,
  validator: Validator<unknown>,
  refuse: (failures: readonly ValidationFailure[]) => Error,
): unknown {
  const path = `$[${number}]`;
  const line = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
  if (!isUtf8(line)) {
    const received = "bytes that are not valid UTF-8";
    throw refuse([{ path, expected: "JSON in UTF-8", received, rule: "encoding", limit: "utf-8" }]);
  }
  const text = line.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const suggestion = "Write one JSON value on each line";
    throw refuse([{ path, expected: "JSON", received: "text that is not JSON", rule: "json", suggestion }]);
  }
  if (!validator.is(value)) throw refuse(validator.failures(value).map((failure) => below(path, failure)));
  const decoded = validator.decode(value);
  const failure = text.includes("\\u") ? findUnstorable(decoded) : undefined;
  if (failure !== undefined) throw refuse([below(path, failure)]);
  return decoded;
}

/** Returns the failure of a value as a failure of the list that contains it. */
function below(path: string, failure: ValidationFailure): ValidationFailure {
  const { expected, received, value, rule, limit, suggestion } = failure;
  const moved: ValidationFailure = { path: path + failure.path.slice(1), expected, received, rule };
  if (value !== undefined) moved.value = value;
  if (limit !== undefined) moved.limit = limit;
  if (suggestion !== undefined) moved.suggestion = suggestion;
  return moved;
}

/** Number of characters that the lines of a synchronous iterable have in one chunk, at least. */
const chunkLength = 16 * 1024;

/** Returns the lines of a response. `check` throws if a value breaks the contract. `log` notes the lines for observers. */
export function writeLines(
  values: Iterable<unknown> | AsyncIterable<unknown>,
  serializer: Serializer<unknown>,
  check: (value: unknown) => void,
  log: StreamLog | null = null,
): AsyncIterable<string> {
  const write = (value: unknown): string => {
    check(value);
    const text = serializer.serialize(value);
    log?.sent(text);
    return `${text}\n`;
  };
  if (Symbol.asyncIterator in values) {
    const iterator = values[Symbol.asyncIterator]();
    return mapIterator(values, iterator, write);
  }
  return inChunks(values, write);
}

/** Joins the lines of a synchronous iterable to chunks, because a chunk for each line costs more than the line. */
async function* inChunks(
  values: Iterable<unknown>,
  write: (value: unknown) => string,
): AsyncGenerator<string> {
  let chunk = "";
  for (const value of values) {
    chunk += write(value);
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}
