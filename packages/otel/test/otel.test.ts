// Tests the telemetry that a collector gets from an application, for each server.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";

import { trace } from "@opentelemetry/api";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";

import { servers } from "../../../tests/conformance/servers.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { application, type Running } from "./support/application.ts";
import { Collector, until } from "./support/collector.ts";

quietStdout();
const instrumentation = new UndiciInstrumentation();
after(() => instrumentation.disable());

const pointOf = (
  { points }: Collector,
  metric: string,
  attributes: object = {},
): Collector["points"][0] | undefined =>
  points.find(
    (one) =>
      one.metric === metric &&
      Object.entries(attributes).every(([key, value]) => one.attributes[key] === value),
  );

for (const [name, make] of servers) {
  describe(name, () => {
    let collector: Collector;
    let app: Running;
    let peer: ReturnType<typeof createServer>;
    /** Header `traceparent` of each request that the handlers sent. */
    const traceparents: (string | undefined)[] = [];
    before(async () => {
      collector = await Collector.start();
      peer = createServer((request, response) => {
        traceparents.push(request.headers["traceparent"] as string | undefined);
        response.end("{}");
      }).listen(0, "127.0.0.1");
      await once(peer, "listening");
      const { port } = peer.address() as AddressInfo;
      app = await application(make(), `http://127.0.0.1:${port}`, {
        tracing: true,
        metrics: true,
        endpoint: collector.endpoint,
        serviceName: "shop",
        headers: { "x-tenant": "seven" },
        exportIntervalMs: 20,
        metricsIntervalMs: 50,
      });
      // The instrumentation uses the provider of the first application by default and keeps it, so the provider is set here.
      instrumentation.setTracerProvider(trace.getTracerProvider());
    });
    after(async () => {
      await app[Symbol.asyncDispose]();
      peer.closeAllConnections();
      peer.close();
      await collector[Symbol.asyncDispose]();
      assert.deepEqual(collector.errors, []);
    });

    it("exports the spans of a request, spans of other instrumentation, and log entries of the request", async () => {
      const traceId = "0af7651916cd43dd8448eb211c80319c";
      const answer = await app.get("/things/7", {
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        tracestate: "vendor=a",
      });
      assert.equal(answer.status, 200);
      const ours = (): Collector["spans"] => collector.spans.filter((span) => span.traceId === traceId);
      await until(() => ours().length === 9 && collector.logs.length > 0, "the spans");
      const byName = new Map(ours().map((span) => [span.name, span]));
      const root = byName.get("GET /things/:id")!;
      assert.equal(root.parentSpanId, "b7ad6b7169203331");
      assert.equal(root.kind, "SPAN_KIND_SERVER");
      assert.equal(root.traceState, "vendor=a");
      assert.equal(root.scope, "@kit/otel");
      assert.equal(root.resource["service.name"], "shop");
      assert.deepEqual(root.attributes, {
        "http.method": "GET",
        "http.route": "/things/:id",
        "http.status_code": 200,
      });
      assert.equal(root.status.code, "STATUS_CODE_OK");
      const children = [
        "middleware:auth",
        "validation:params",
        "validation:query",
        "validation:body",
        "handler",
        "serialization",
        "server:write",
      ];
      for (const child of children) {
        const span = byName.get(child)!;
        assert.equal(span.parentSpanId, root.spanId, child);
        assert.equal(span.kind, "SPAN_KIND_INTERNAL");
        assert.ok(span.startTimeUnixNano >= root.startTimeUnixNano, child);
        assert.ok(span.endTimeUnixNano <= root.endTimeUnixNano + 1_000n, child);
      }
      const handler = byName.get("handler")!;
      assert.deepEqual(handler.attributes, { "thing.id": "7", "from.otel": "[1,2]" });
      // The span of `fetch` within the handler, which its own instrumentation creates.
      const fetched = ours().find(({ scope }) => scope === "@opentelemetry/instrumentation-undici")!;
      assert.equal(fetched.parentSpanId, handler.spanId);
      assert.equal(fetched.kind, "SPAN_KIND_CLIENT");
      assert.equal(traceparents.at(-1), `00-${traceId}-${fetched.spanId}-01`);
      const entry = collector.logs.find((log) => log.traceId === traceId)!;
      assert.equal(entry.spanId, handler.spanId);
      assert.equal(entry.body, "Thing read");
      assert.equal(entry.severityText, "WARN");
      assert.equal(entry.severityNumber, "SEVERITY_NUMBER_WARN");
      const { requestId, ...attributes } = entry.attributes;
      assert.equal(typeof requestId, "string");
      assert.deepEqual(attributes, {
        route: "GET /things/:id",
        phase: "handler",
        serverAdapter: app.name,
        data: { id: "7", password: "[redacted]" },
      });
      assert.ok(collector.headers.every((headers) => headers["x-tenant"] === "seven"));
    });

    it("exports a failed request with its status and error message", async () => {
      assert.equal((await app.get("/fail")).status, 409);
      const find = (spanName: string): Collector["spans"][0] | undefined =>
        collector.spans.find((span) => span.name === spanName && span.status.code === "STATUS_CODE_ERROR");
      await until(() => find("GET /fail") !== undefined, "the span");
      const root = find("GET /fail")!;
      assert.equal(root.attributes["error.message"], "It is taken");
      assert.equal(root.attributes["http.status_code"], 409);
      const handler = collector.spans.find(
        ({ parentSpanId, name: own }) => parentSpanId === root.spanId && own === "handler",
      )!;
      assert.deepEqual(handler.status, {
        ...handler.status,
        code: "STATUS_CODE_ERROR",
        message: "It is taken",
      });
    });

    it("exports metrics", async () => {
      await app.get("/nowhere");
      const slow = app.get("/slow");
      const point = pointOf.bind(null, collector);
      await until(() => point("http.server.active_requests")?.value === 1, "the active request");
      const failed = {
        "http.route": "/fail",
        "http.response.status_code": 409,
        "http.request.method": "GET",
      };
      await until(() => point("http.server.errors", failed) !== undefined, "the errors");
      assert.equal(point("http.server.errors", failed)!.value, 1);
      const duration = point("http.server.request.duration", { "http.route": "/things/:id" })!;
      assert.equal(duration.count, 1);
      assert.equal(duration.unit, "s");
      assert.ok(duration.sum! > 0 && duration.sum! < 60);
      const nowhere = { "http.response.status_code": 404 };
      await until(
        () => point("http.server.request.duration", nowhere) !== undefined,
        "the request without a route",
      );
      assert.ok(!("http.route" in point("http.server.request.duration", nowhere)!.attributes));
      app.finishSlow();
      await slow;
      await until(() => point("http.server.active_requests")?.value === 0, "its end");
    });

    it("exports waiting items when the application closes, and counts all exported items", async () => {
      await app.get("/things/8");
      const pending = app.counts();
      await app[Symbol.asyncDispose]();
      const { requests, spans, logs, metrics } = app.counts();
      for (const counts of [requests, spans, logs, metrics])
        assert.deepEqual([counts.dropped, counts.pending], [0, 0]);
      assert.ok(requests.exported >= pending.requests.exported);
      const roots = collector.spans.filter(({ kind }) => kind === "SPAN_KIND_SERVER");
      assert.equal(requests.exported, roots.length);
      assert.equal(spans.exported, collector.spans.filter(({ scope }) => scope !== "@kit/otel").length);
      assert.equal(logs.exported, collector.logs.length);
      // The application has removed its global providers.
      assert.equal(trace.getActiveSpan(), undefined);
    });
  });
}
