// Tests that an application works as before if its collector does not run, is slow or refuses data, and that each
// loss is counted.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { nativeServer } from "@kit/server-native";
import type { ExportCounts, LogEntry } from "@kit/types";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { application, type Running } from "./support/application.ts";
import { Collector, until } from "./support/collector.ts";

quietStdout();

const quick = { tracing: true, exportIntervalMs: 10 } as const;

/** Sends requests one after the other. Checks that each response is the same as without telemetry. */
async function sendRequests(
  app: Running,
  count: number,
  headers: Record<string, string> = {},
): Promise<void> {
  for (let index = 0; index < count; index += 1)
    assert.deepEqual(await app.get("/plain", headers), { status: 200, text: '{"id":"plain"}' });
}

const sum = ({ exported, dropped, pending }: ExportCounts): number => exported + dropped + pending;
const lossesIn = (log: readonly LogEntry[]): LogEntry[] =>
  log.filter(({ message }) => message === "Telemetry was lost");

describe("an application with telemetry", () => {
  it("responds as usual and counts all telemetry as dropped if the collector does not run", async () => {
    const gone = await Collector.start();
    const { endpoint } = gone;
    await gone[Symbol.asyncDispose]();
    const log: LogEntry[] = [];
    const app = await application(nativeServer(), "", { ...quick, metrics: true, endpoint }, log);
    await sendRequests(app, 50);
    await app[Symbol.asyncDispose]();
    const { requests, logs, metrics } = app.counts();
    assert.deepEqual(requests, { exported: 0, dropped: 50, pending: 0 });
    assert.equal(logs.exported, 0);
    assert.equal(logs.pending, 0);
    assert.equal(logs.dropped, log.length);
    assert.deepEqual(metrics, { exported: 0, dropped: 1, pending: 0 });
    const [loss] = lossesIn(log);
    assert.equal((loss!.data as { requests: number }).requests, 50);
  });

  it("sends all spans later if the collector responds with Retry-After", async () => {
    await using collector = await Collector.start();
    collector.behave = (_, request) =>
      request === 1 ? { status: 429, headers: { "retry-after": "1" } } : { status: 200 };
    const log: LogEntry[] = [];
    const app = await application(nativeServer(), "", { ...quick, endpoint: collector.endpoint }, log);
    await sendRequests(app, 20);
    await until(() => app.counts().requests.exported === 20, "the export");
    await app[Symbol.asyncDispose]();
    assert.deepEqual(app.counts().requests, { exported: 20, dropped: 0, pending: 0 });
    assert.ok(collector.requests.traces >= 2);
    assert.equal(collector.spans.filter(({ kind }) => kind === "SPAN_KIND_SERVER").length, 20);
    assert.deepEqual(lossesIn(log), []);
    assert.deepEqual(collector.errors, []);
  });

  it("drops a batch that the collector refuses, and logs the loss", async () => {
    await using collector = await Collector.start();
    collector.behave = (signal) => ({ status: signal === "traces" ? 400 : 200 });
    const log: LogEntry[] = [];
    const app = await application(nativeServer(), "", { ...quick, endpoint: collector.endpoint }, log);
    await sendRequests(app, 5);
    await until(() => app.counts().requests.dropped === 5 && lossesIn(log).length > 0, "the loss");
    await app[Symbol.asyncDispose]();
    const losses = lossesIn(log);
    const counted = losses.map(({ data }) => (data as { requests: number }).requests);
    assert.equal(
      counted.reduce((total, count) => total + count, 0),
      5,
    );
    assert.match(JSON.stringify(losses[0]!.data), /Bad Request/);
    // Log entries still reach the collector.
    assert.ok(collector.logs.some(({ body }) => body === "Telemetry was lost"));
  });

  it("counts spans beyond the capacity of its queue as dropped if the collector is slow", async () => {
    await using collector = await Collector.start();
    const gate = Promise.withResolvers<void>();
    collector.behave = () => ({ status: 200, after: gate.promise });
    const log: LogEntry[] = [];
    const options = { ...quick, queueSize: 16, endpoint: collector.endpoint };
    const app = await application(nativeServer(), "", options, log);
    await sendRequests(app, 1);
    await until(() => collector.requests.traces === 1 && collector.requests.logs === 1, "the first export");
    await sendRequests(app, 200);
    assert.equal(collector.requests.traces, 1);
    assert.deepEqual(app.counts().requests, { exported: 0, dropped: 184, pending: 17 });
    gate.resolve();
    await until(() => app.counts().requests.pending === 0 && app.counts().logs.pending === 0, "the rest");
    await app[Symbol.asyncDispose]();
    const { requests, logs } = app.counts();
    assert.equal(sum(requests), 201);
    // Exported are the request that was being sent and the last sixteen, which the queue contained.
    assert.deepEqual(requests, { exported: 17, dropped: 184, pending: 0 });
    const entries = log.length;
    assert.equal(sum(logs), entries);
    assert.ok(logs.dropped >= 184);
    assert.equal(collector.spans.filter(({ kind }) => kind === "SPAN_KIND_SERVER").length, requests.exported);
    assert.equal(collector.logs.length, logs.exported);
    const counted = lossesIn(log).map(({ data }) => (data as { requests: number }).requests);
    assert.equal(
      counted.reduce((total, count) => total + count, 0),
      184,
    );
  });
});

const parent = (flags: string): Record<string, string> => ({
  traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`,
});

describe("sampling", () => {
  it("uses the sampling decision of the client's trace, or the configured ratio if there is no trace", async () => {
    await using collector = await Collector.start();
    const none = await application(nativeServer(), "", {
      ...quick,
      sampleRatio: 0,
      endpoint: collector.endpoint,
    });
    await sendRequests(none, 5);
    await sendRequests(none, 2, parent("01"));
    await none[Symbol.asyncDispose]();
    assert.deepEqual(none.counts().requests, { exported: 2, dropped: 0, pending: 0 });
    const all = await application(nativeServer(), "", { ...quick, endpoint: collector.endpoint });
    await sendRequests(all, 5);
    await sendRequests(all, 2, parent("00"));
    await all[Symbol.asyncDispose]();
    assert.deepEqual(all.counts().requests, { exported: 5, dropped: 0, pending: 0 });
  });
});

describe("an exporter other than OTLP", () => {
  it("`none` sends nothing and counts everything as exported", async () => {
    const app = await application(nativeServer(), "", {
      ...quick,
      metrics: true,
      logs: true,
      exporter: "none",
    });
    await sendRequests(app, 3);
    await app[Symbol.asyncDispose]();
    const { requests, logs } = app.counts();
    assert.deepEqual(requests, { exported: 3, dropped: 0, pending: 0 });
    assert.equal(logs.exported, 3);
  });

  it("`console` prints spans to standard output", async (t) => {
    const printed: unknown[] = [];
    t.mock.method(console, "dir", (value: unknown) => void printed.push(value));
    const app = await application(nativeServer(), "", { ...quick, exporter: "console" });
    await sendRequests(app, 1);
    await app[Symbol.asyncDispose]();
    const names = printed.map((span) => (span as { name: string }).name);
    assert.ok(names.includes("GET /plain") && names.includes("handler"), String(names));
  });
});
