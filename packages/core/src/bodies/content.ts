/** Response bodies that are not JSON, or that have one of several formats. */
import type { CompiledContent, ValidationFailure } from "@kit/types";

import type { StreamLog } from "../observe/streams.ts";
import { ChosenContent } from "./chosen-content.ts";
import { writeEvents } from "./events.ts";
import { writeLines } from "./lines.ts";
import { endSource } from "./value-iterator.ts";

/** Body of a response, with its content type. */
export interface ContentBody {
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  readonly contentType: string;
}

/** Function that throws the error for a value of the type `name` that breaks the contract. */
export type ReportBreach = (name: string, failures: readonly ValidationFailure[]) => void;

/**
 * Returns the body for the value that a handler returned.
 *
 * @param ref - Route, for messages.
 * @param report - Throws the error for values that break the contract. `null` if values are not checked.
 * @param log - Log of the events or lines, for observers.
 * @throws {TypeError} If the value has another type than the format needs.
 */
export function writeContent(
  ref: string,
  content: CompiledContent,
  value: unknown,
  report: ReportBreach | null,
  log: StreamLog | null = null,
): ContentBody {
  const { format, mediaType } = content;
  switch (format) {
    case "oneof":
      throw new TypeError(`Bug in kit: the format of the response of ${ref} was not chosen`);
    case "json": {
      const json = content.json!;
      const failures = report === null ? [] : json.failures(value);
      if (failures.length > 0) report!(json.name, failures);
      return { body: json.serialize(value), contentType: mediaType };
    }
    case "text":
      if (typeof value !== "string" && !isAsyncIterable(value))
        throw wrongValue(ref, "Text", "a string or an async iterable of strings", value);
      return { body: value as string | AsyncIterable<string>, contentType: `${mediaType}; charset=utf-8` };
    case "bytes":
      if (!(value instanceof Uint8Array) && !isAsyncIterable(value))
        throw wrongValue(ref, "Bytes", "a Uint8Array or an async iterable of them", value);
      return { body: value, contentType: mediaType };
    case "download":
      throw new TypeError(`Bug in kit: the download of ${ref} was not opened`);
    case "lines": {
      if (!isAsyncIterable(value) && !isIterable(value))
        throw wrongValue(ref, "Lines", "an iterable or an async iterable", value);
      const line = content.line!;
      const check = (item: unknown): void => {
        const failures = report === null ? [] : line.failures(item);
        if (failures.length > 0) report!(line.name, failures);
      };
      return { body: writeLines(value, line, check, log), contentType: mediaType };
    }
    case "events": {
      if (!isAsyncIterable(value)) throw wrongValue(ref, "Events", "an async iterable of events", value);
      const events = content.events!;
      const check = (name: string, data: unknown): void => {
        const serializer = events[name]!;
        const failures = report === null || serializer === null ? [] : serializer.failures(data);
        if (failures.length > 0) report!(serializer!.name, failures);
      };
      return { body: writeEvents(value, events, check, log), contentType: mediaType };
    }
  }
}

/** Ends a stream that a handler returned and that is not sent. Ignores any other value. Never throws. */
export function endContent(result: unknown): void {
  const value = result instanceof ChosenContent ? result.value : result;
  if (!isAsyncIterable(value)) return;
  try {
    endSource(value, value[Symbol.asyncIterator]()).catch(() => undefined);
  } catch {
    // Nobody reads the stream, so its failure has no effect.
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<never> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

function wrongValue(ref: string, format: string, expected: string, value: unknown): TypeError {
  const found = value === undefined ? "nothing" : value === null ? "null" : `a value of type ${typeof value}`;
  return new TypeError(
    `The handler of ${ref} returned ${found}, but its contract has ${format}<…>; return ${expected}`,
  );
}
