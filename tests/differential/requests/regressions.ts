import type { Sent } from "../support/request.ts";

/** Requests to `fixtures/echo` to which the servers once responded differently, or which random generation rarely produces. */
export const KNOWN: readonly Sent[] = [
  // Two decimal strings with 16 digits are equally close to the number.
  post("/numbers", numbers({ cents: "71884464502738.625" })),
  // No union member has this tag, but one has a similar tag.
  post("/figure", '{"kind":"circl"}'),
  // Valid timestamps that cannot be written in UTC.
  post("/numbers", numbers({ when: '"9999-12-31T23:59:59-01:00"' })),
  post("/numbers", numbers({ when: '"0000-01-01T00:00:00+01:00"' })),
  get("/search?when=9999-12-31T23%3A59%3A59-00%3A01"),
  // The values fit both members of the union. The last value fits the second one better.
  post("/tie", '{"a":""}'),
  post("/tie", '{"a":"","b":"","c":""}'),
  post("/tie", '{"a":"","one":3,"two":4,"c":""}'),
  // These numbers are outside of the range of a double, in declared and undeclared properties.
  post("/numbers", numbers({ any: "1e400" })),
  post("/loose", '{"any":[-1e400],"list":[]}'),
  post("/loose", '{"any":"\\ud800","list":[]}'),
  post("/missing", '{"nullable":"\\udc00\\ud800"}'),
  post("/texts", '"\\udfff"'),
];

/** Returns a function that gives the known requests first, and then random ones. */
export function afterKnown(start: number, requestOf: (index: number) => Sent): (index: number) => Sent {
  return (index) => KNOWN[index - start] ?? requestOf(index);
}

function numbers(changes: Readonly<Record<string, string>>): string {
  const members = {
    any: "1",
    whole: "1",
    between: "1",
    inside: "0.5",
    cents: "1",
    fives: "5",
    yes: "true",
    nothing: "null",
    when: '"2026-01-01T00:00:00Z"',
    big: '"1"',
    ...changes,
  };
  return `{${Object.entries(members)
    .map(([key, text]) => `"${key}":${text}`)
    .join(",")}}`;
}

function post(target: string, text: string): Sent {
  return {
    kind: "known",
    method: "POST",
    target,
    headers: [
      ["host", "a"],
      ["content-type", "application/json"],
    ],
    body: Buffer.from(text),
    writes: false,
  };
}

function get(target: string): Sent {
  return { kind: "known", method: "GET", target, headers: [["host", "a"]], writes: false };
}
