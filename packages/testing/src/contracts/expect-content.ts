import type { Shape } from "@kit/core/codec";

import type { TestResponse } from "../test-response.ts";
import type { TestedContent } from "./tables.ts";

/** Value inside of a response that is not JSON or one of several formats, with its place for messages. */
export interface ContentValue {
  readonly place: string;
  readonly shape: Shape;
  readonly value: unknown;
}

/**
 * Returns the lines or events of a response, so that the caller can check their values. Returns a text if the response breaks
 * its format.
 */
export function contentValues(content: TestedContent, answer: TestResponse): ContentValue[] | string {
  const { headers, text } = answer;
  const type = headers.get("content-type") ?? "nothing";
  if (content.choices !== undefined) {
    const essence = type.split(";", 1)[0];
    const chosen = content.choices.find((choice) => choice.type === essence);
    if (chosen !== undefined) return contentValues(chosen, answer);
    const names = content.choices.map((choice) => choice.type);
    return `the content type ${type}, expected ${names.join(" or ")}`;
  }
  const expected = content.kind === "text" ? `${content.type}; charset=utf-8` : content.type;
  if (type.toLowerCase() !== expected) return `the content type ${type}, expected ${expected}`;
  if (content.kind === "json") {
    const value = parsed(text);
    if (value === undefined) return "a body that is not JSON";
    return content.json === undefined ? [] : [{ place: "body", shape: content.json, value }];
  }
  if (content.kind === "lines") return lines(content, text);
  return content.kind === "events" ? events(content, text) : [];
}

function lines({ line }: TestedContent, text: string): ContentValue[] | string {
  const values: ContentValue[] = [];
  // The server ends each line with LF, so a rest is a line that the test has not read completely.
  for (const [index, source] of text.split("\n").slice(0, -1).entries()) {
    const value = parsed(source);
    if (value === undefined) return `a line ${index} that is not JSON`;
    if (line !== undefined) values.push({ place: `line ${index}`, shape: line, value });
  }
  return values;
}

function events({ events: declared = {} }: TestedContent, text: string): ContentValue[] | string {
  const values: ContentValue[] = [];
  for (const block of text.split("\n\n").slice(0, -1)) {
    const fields = new Map(
      block
        .split("\n")
        .filter((field) => !field.startsWith(":"))
        .map((field): [string, string] => [field.split(":")[0] ?? "", field.replace(/^[^:]*: ?/, "")]),
    );
    // Clients ignore a block without an event, such as a ping (comments only) or a time for the next connection (`retry`).
    if (!fields.has("event") && !fields.has("data")) continue;
    const name = fields.get("event") ?? "message";
    if (!Object.hasOwn(declared, name)) return `the event ${name}, which its contract does not declare`;
    const shape = declared[name];
    if (shape === null || shape === undefined) continue;
    const value = parsed(fields.get("data") ?? "");
    if (value === undefined) return `an event ${name} whose data is not JSON`;
    values.push({ place: `event ${name}`, shape, value });
  }
  return values;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
