import assert from "node:assert/strict";
import { test } from "node:test";

import { Log } from "../src/logging/log.ts";
import type { LogEntry } from "../src/logging/log-entry.ts";
import { ServerRefusalLog } from "../src/logging/server-refusal-log.ts";
import { compileRedactor } from "../src/logging/redact.ts";

function record(): { refusals: ServerRefusalLog; entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const log = new Log({
    level: "info",
    redactor: compileRedactor([]),
    serverAdapter: "memory",
    lines: { write: (line: string) => void entries.push(JSON.parse(line) as LogEntry) },
    sinks: [],
  });
  return { refusals: new ServerRefusalLog(log), entries };
}

const missingHost = { status: 400, code: "BAD_REQUEST", message: "the header `host` is missing" };

test("the first refusal of a kind by the server is logged with all of its fields", () => {
  const { refusals, entries } = record();
  refusals.count({ ...missingHost, traceId: "a".repeat(32), remoteAddress: "192.0.2.1" });
  refusals.flush();
  const [{ timestamp, ...entry }] = entries as [LogEntry];
  assert.match(timestamp, /^\d{4}-/);
  assert.deepEqual(entry, {
    level: "warn",
    message: "The server refused a request with 400 BAD_REQUEST: the header `host` is missing",
    traceId: "a".repeat(32),
    phase: "received",
    serverAdapter: "memory",
    data: { status: 400, code: "BAD_REQUEST", remoteAddress: "192.0.2.1", count: 1 },
  });
  assert.equal(entries.length, 1);
});

test("many refusals of a kind by the server become one log entry per minute, with their number", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { refusals, entries } = record();
  for (let index = 0; index < 1000; index += 1) {
    refusals.count({ ...missingHost, remoteAddress: `192.0.2.${index % 256}` });
  }
  refusals.count({ code: "CONNECTION_LIMIT", message: "further connections wait" });
  assert.equal(entries.length, 2);
  t.mock.timers.tick(60_000);
  assert.equal(entries.length, 3);
  assert.match(entries[2]!.message, /^999 more times within a minute: The server refused a request with 400/);
  assert.deepEqual((entries[2]!.data as { count: number }).count, 999);
  // A minute without refusals has no entry, and the next refusal is logged as the first one again.
  t.mock.timers.tick(120_000);
  assert.equal(entries.length, 3);
  refusals.count(missingHost);
  assert.equal(entries.length, 4);
});

test("flush logs the refusals that are counted but not logged, and only once", () => {
  const { refusals, entries } = record();
  refusals.count(missingHost);
  refusals.count(missingHost);
  refusals.flush();
  refusals.flush();
  assert.deepEqual(
    entries.map(({ data }) => (data as { count: number }).count),
    [1, 1],
  );
});
