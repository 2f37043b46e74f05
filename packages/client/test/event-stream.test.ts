// Tests of the parser of event streams (WHATWG HTML, 9.2.5 and 9.2.6) and of JSON Lines.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { eventsOf, type ReceivedEvent, type StreamState } from "../src/bodies/event-stream.ts";
import { JSON_LINES, linesOf } from "../src/bodies/lines.ts";

/** Creates a stream of the bytes, in chunks of the size. */
function chunked(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let position = 0;
  return new ReadableStream({
    pull(controller) {
      if (position >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(position, position + size));
      position += size;
    },
  });
}

async function parsed(text: string, size = 1_000): Promise<{ events: ReceivedEvent[]; state: StreamState }> {
  const state = { id: "", retryMs: 1000 };
  const events: ReceivedEvent[] = [];
  for await (const event of eventsOf(chunked(new TextEncoder().encode(text), size), state))
    events.push(event);
  return { events, state };
}

const EXAMPLES: [name: string, text: string, events: [event: string, data: string, id: string][]][] = [
  [
    "three lines of data become one text",
    "data: YHOO\ndata: +2\ndata: 10\n\n",
    [["message", "YHOO\n+2\n10", ""]],
  ],
  [
    "the example of the standard with a comment, ids and an empty id",
    ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
    [
      ["message", "first event", "1"],
      ["message", "second event", ""],
      ["message", " third event", ""],
    ],
  ],
  [
    "the example of the standard with empty data",
    "data\n\ndata\ndata\n\ndata:",
    [
      ["message", "", ""],
      ["message", "\n", ""],
    ],
  ],
  [
    "a space after the colon is not part of the data",
    "data:test\n\ndata: test\n\n",
    [
      ["message", "test", ""],
      ["message", "test", ""],
    ],
  ],
  [
    "CR, LF and CR LF end a line",
    "event: a\rdata: 1\r\ndata: 2\n\r\ndata: 3\r\r",
    [
      ["a", "1\n2", ""],
      ["message", "3", ""],
    ],
  ],
  ["an event that the end cuts off is dropped", "data: 1\n\ndata: 2\n", [["message", "1", ""]]],
  ["a name without data is no event", "event: a\n\ndata: 1\n\n", [["message", "1", ""]]],
  ["a byte order mark at the start is ignored", "\uFEFFdata: ü€𝄞\n\n", [["message", "ü€𝄞", ""]]],
  ["an id with a NULL is ignored", "id: 1\nid: 2\0\ndata: a\n\n", [["message", "a", "1"]]],
  ["unknown fields are ignored", "data: a\nDATA: b\nother: c\n\n", [["message", "a", ""]]],
];

for (const [name, text, expected] of EXAMPLES) {
  test(`event stream: ${name}, for chunks of any size`, async () => {
    for (const size of [1, 2, 3, 5, 1000]) {
      const { events } = await parsed(text, size);
      assert.deepEqual(
        events.map(({ event, data, id }) => [event, data, id]),
        expected,
        `chunks of ${size}`,
      );
    }
  });
}

interface StreamCase {
  readonly wpt: string;
  readonly name: string;
  readonly stream: string;
  readonly events: ReceivedEvent[];
}

const { cases } = JSON.parse(
  readFileSync(new URL("../../../conformance/event-streams.json", import.meta.url), "utf8"),
) as { cases: StreamCase[] };

for (const { wpt, name, stream, events } of cases) {
  test(`${wpt}: ${name}, for chunks of any size`, async () => {
    for (const size of [1, 2, 3, 5, 7, 10_000]) {
      assert.deepEqual((await parsed(stream, size)).events, events, `chunks of ${size}`);
    }
  });
}

test("event stream: `retry` sets the reconnection time only if it has digits only", async () => {
  assert.equal((await parsed("retry: 250\n\n")).state.retryMs, 250);
  for (const text of ["retry: 2.5\n\n", "retry: -1\n\n", "retry: 1s\n\n", "retry:\n\n", "retry: 250"]) {
    assert.equal((await parsed(text)).state.retryMs, 1000, text);
  }
});

test("event stream: the last id belongs to the last complete event", async () => {
  assert.equal((await parsed("id: 1\ndata: a\n\nid: 2\ndata: b\n")).state.id, "1");
  assert.equal((await parsed("id: 1\ndata: a\n\nid: 2\n\n")).state.id, "2");
});

test("event stream: an event is returned as soon as its empty line arrives, even if the line ends with CR alone", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const send = (text: string): void => void writer.write(new TextEncoder().encode(text));
  const events = eventsOf(readable, { id: "", retryMs: 0 });
  send("data: 1\r\r");
  assert.equal((await events.next()).value?.data, "1");
  send("\ndata: 2\n\n");
  assert.equal((await events.next()).value?.data, "2");
  await events.return();
});

test("JSON Lines: LF and CR LF end a line, and the last line needs no end, for chunks of any size", async () => {
  for (const size of [1, 2, 3, 1000]) {
    const lines: string[] = [];
    const bytes = new TextEncoder().encode('{"a":1}\r\n"ü"\n[\r]\n3');
    for await (const line of linesOf(chunked(bytes, size), JSON_LINES)) lines.push(line);
    assert.deepEqual(lines, ['{"a":1}', '"ü"', "[\r]", "3"], `chunks of ${size}`);
  }
});

test("an iteration that ends early cancels the stream", async () => {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("1\n2\n")),
    cancel: () => void (isCancelled = true),
  });
  for await (const line of linesOf(stream, JSON_LINES)) if (line === "2") break;
  assert.ok(isCancelled);
});
