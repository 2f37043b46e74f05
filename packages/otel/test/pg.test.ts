// Tests instrumentation of others within a handler: a query of `pg` on a real PostgreSQL becomes a child of the
// handler's span.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { type FinishedRequestView, type AppOptions, createApp, type RequestRecord } from "@kit/core";
import { openDatabase, stopDatabase } from "@kit/dev-database";
import { nativeServer } from "@kit/server-native";
import { PgInstrumentation } from "@opentelemetry/instrumentation-pg";
import type pgModule from "pg";

import { compiled, responseOf, route } from "../../core/test/support/compiled.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { Collector, until } from "./support/collector.ts";

quietStdout();

test("the span of a query is a child of its handler's span, even if many requests run at the same time", async (context) => {
  const instrumentation = new PgInstrumentation({ requireParentSpan: true });
  context.after(() => instrumentation.disable());
  // Loaded after the instrumentation is created, and with `require`, which the instrumentation hooks.
  const pg = createRequire(import.meta.url)("pg") as typeof pgModule;
  const dataDir = mkdtempSync(join(tmpdir(), "kit-otel-"));
  // If the tests run as root, PostgreSQL runs as another user, who must be able to enter the directory.
  chmodSync(dataDir, 0o755);
  const database = await openDatabase({ dataDir });
  await using collector = await Collector.start();
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  try {
    const records: RequestRecord[] = [];
    const sum = route("GET /sum", { response: responseOf("Sum", { sum: "number" }), middleware: ["who"] });
    const app = createApp({
      server: nativeServer(),
      compiled: compiled(sum),
      env: "production",
      signals: false,
      middleware: [
        {
          name: "who",
          middleware: async () => {
            await pool.query("select 1 as who");
          },
          priority: 1,
        },
      ],
      routes: [
        {
          handlers: {
            "GET /sum": async () => {
              await new Promise((resolve) => setImmediate(resolve));
              const { rows } = await pool.query<{ sum: number }>("select 2 + 3 as sum");
              return rows[0];
            },
          },
        },
      ],
      telemetry: { tracing: true, endpoint: collector.endpoint, exportIntervalMs: 20 },
      plugins: [
        {
          name: "watch",
          observe: {
            calls: { around: (_: unknown, run: () => unknown) => run() },
            onResponse: (view: FinishedRequestView) => records.push(view.record()),
          },
        },
      ],
    } as unknown as AppOptions);
    const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/sum`)));
    for (const answer of answers) assert.deepEqual(await answer.json(), { sum: 5 });
    await app.close({ graceMs: 1_000 });
    const of = (text: string): Collector["spans"] =>
      collector.spans.filter(
        ({ scope, attributes }) =>
          scope === "@opentelemetry/instrumentation-pg" && JSON.stringify(attributes).includes(text),
      );
    await until(() => of("select 2 + 3").length === 20, "the spans of the queries");
    for (const [text, parent] of [
      ["select 1 as who", "middleware:who"],
      ["select 2 + 3", "handler"],
    ] as const) {
      const parents = new Set<string>();
      for (const span of of(text)) {
        const found = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
        assert.equal(found?.name, parent);
        assert.equal(found.traceId, span.traceId);
        parents.add(found.traceId);
      }
      assert.equal(parents.size, 20, "each request has its own");
    }
    // Request observers see the spans of the instrumentation too, with their source. The collector gets each
    // span once.
    assert.equal(records.length, 20);
    for (const { spans } of records) {
      const calls = spans.filter(({ source }) => source === "@opentelemetry/instrumentation-pg");
      const query = calls.find(({ attributes }) => JSON.stringify(attributes).includes("select 2 + 3"))!;
      assert.equal(spans.find(({ spanId }) => spanId === query.parentSpanId)?.name, "handler");
      const sent = collector.spans.filter(({ spanId }) => spanId === query.spanId);
      assert.deepEqual(
        sent.map(({ name, traceId }) => [name, traceId]),
        [[query.name, query.traceId]],
      );
    }
    assert.deepEqual(collector.errors, []);
  } finally {
    await pool.end();
    await database.close();
    await stopDatabase({ dataDir });
    rmSync(dataDir, { recursive: true, force: true });
  }
});
