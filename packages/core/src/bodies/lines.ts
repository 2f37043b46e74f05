/** JSON Lines: one JSON value on each line, which ends with LF or CRLF. */
import type { Serializer, ValidationFailure, Validator } from "@kit/types";

import { mapIterator } from "./value-iterator.ts";

/**
 * Returns the values of the lines. A line is parsed and checked when it is read, so a broken line fails after the values
 * before it. An empty line at the end is no value.
 */
export async function* readLines(
  text: string,
  validator: Validator<unknown>,
  refuse: (failures: readonly ValidationFailure[]) => Error,
): AsyncGenerator<unknown, void, undefined> {
  let number = 0;
  for (let start = 0; start < text.length; number += 1) {
    const lineFeed = text.indexOf("\n", start);
    const next = lineFeed === -1 ? text.length : lineFeed + 1;
    let end = lineFeed === -1 ? text.length : lineFeed;
    if (text[end - 1] === "\r") end -= 1;
    const path = `$[${number}]`;
    let value: unknown;
    try {
      value = JSON.parse(text.slice(start, Math.max(start, end)));
    } catch {
      const suggestion = "Write one JSON value on each line";
      throw refuse([{ path, expected: "JSON", received: "text that is not JSON", rule: "json", suggestion }]);
    }
    if (!validator.is(value)) throw refuse(validator.failures(value).map((failure) => below(path, failure)));
    yield validator.decode(value);
    start = next;
  }
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

/** Returns the lines of a response. `check` throws if a value breaks the contract. */
export function writeLines(
  values: Iterable<unknown> | AsyncIterable<unknown>,
  serializer: Serializer<unknown>,
  check: (value: unknown) => void,
): AsyncIterable<string> {
  const write = (value: unknown): string => {
    check(value);
    return `${serializer.serialize(value)}\n`;
  };
  if (Symbol.asyncIterator in values) {
    const iterator = values[Symbol.asyncIterator]();
    return mapIterator(values, iterator, write);
  }
  return chunks(values, write);
}

/** Joins the lines of a synchronous iterable to chunks, because a chunk for each line costs more than the line. */
async function* chunks(values: Iterable<unknown>, write: (value: unknown) => string): AsyncGenerator<string> {
  let chunk = "";
  for (const value of values) {
    chunk += write(value);
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}
