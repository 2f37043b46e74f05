// Tests what an application records about a request, on every server: log entries, spans, phases and the sidecar's endpoints.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { type AppOptions, createApp, type LogEntry, type RequestContext } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";

import {
  compiled,
  objectOf,
  paramsOf,
  queryOf,
  responseOf,
  route,
} from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { Collector, type GotLog, until } from "../../packages/otel/test/support/collector.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

let written = "";
quietStdout((text) => (written += text));

type Json = Record<string, unknown>;

interface Input {
  readonly body: Json;
  readonly ctx: RequestContext;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly durationMs: number;
  readonly status: string;
  readonly attributes: Json;
  readonly children?: readonly Span[];
}

const thing = responseOf("Thing", { id: "string" });
const ref = "POST /things/:id";
const program = compiled(
  route(ref, {
    params: paramsOf("Id", { id: "string" }),
    query: queryOf("Query", { page: "number?" }),
    body: objectOf("NewThing", { name: "string", password: "string?" }),
    response: thing,
    middleware: ["auth"],
  }),
  route("GET /fail", { response: thing, middleware: ["auth"] }),
);
const levels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
const numbers = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };
const handlers = {
  [ref]: async ({ body, ctx }: Input) => {
    ctx.span!.setAttribute("thing.count", 3);
    ctx.span!.setAttribute("thing.isNew", true);
    await Promise.resolve();
    for (const level of levels) ctx.log[level](`at ${level}`, { level, password: body["password"] });
    return { id: "1" };
  },
  "GET /fail": ({ ctx }: Input) => ctx.fail(409, "TAKEN", "It is taken", { by: "Ada" }),
};

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const id16 = /^[0-9a-f]{16}$/;
const id32 = /^[0-9a-f]{32}$/;

notInRust("what observing shows", "a Rust server has no plugins and no debug sidecar");

for (const [name, make] of servers) {
  describe(name, () => {
    let collector: Collector;
    let app: ReturnType<typeof createApp>;
    let url: string;
    let adapter: string;
    let debugUrl: string;
    const logged: LogEntry[] = [];
    const get = async <T = Json>(path: string): Promise<T> => {
      const answer = await fetch(`${debugUrl}/_debug/${path}`);
      assert.equal(answer.status, 200, path);
      return (await answer.json()) as T;
    };
    const post = (body: unknown): Promise<Response> =>
      fetch(`${url}/things/7?page=2`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          traceparent: `00-${traceId}-${parent}-01`,
          authorization: "Bearer hidden-header",
        },
        body: JSON.stringify(body),
      });

    before(async () => {
      written = "";
      collector = await Collector.start();
      const sidecar = debugPlugin({ port: 0, security: { hostname: "127.0.0.1" } });
      const server = make();
      adapter = server.name;
      app = createApp({
        server,
        compiled: program,
        env: "production",
        signals: false,
        logging: { level: "debug", redact: ["*.password", "authorization"] },
        middleware: [{ name: "auth", middleware: async () => undefined, priority: 1 }],
        routes: [{ handlers }],
        plugins: [sidecar, { name: "log", onLog: (entry: LogEntry) => logged.push(entry) }],
        telemetry: { tracing: true, endpoint: collector.endpoint, exportIntervalMs: 20 },
      } as unknown as AppOptions);
      ({ url } = await app.listen({ port: 0, host: "127.0.0.1" }));
      await until(() => sidecar.address !== null, "the sidecar");
      debugUrl = `http://127.0.0.1:${sidecar.address!.port}`;
      assert.equal((await post({ name: "a", password: "hidden-password" })).status, 201);
      assert.equal((await fetch(`${url}/fail`)).status, 409);
      assert.equal((await post({ name: 5, password: 4_711_471_147 })).status, 400);
    });
    after(async () => {
      await app.close({ graceMs: 100 });
      await collector[Symbol.asyncDispose]();
      assert.deepEqual(collector.errors, []);
    });

    test("log entries have their properties and levels, respect the minimum level and omit hidden values", async () => {
      const { logs } = await get<{ logs: LogEntry[] }>("logs?since=5m&level=trace");
      const own = logs.filter(({ message }) => message.startsWith("at ")).toReversed();
      assert.deepEqual(
        own.map(({ level }) => level),
        ["debug", "info", "warn", "error", "fatal"],
      );
      for (const { timestamp, requestId, spanId, ...entry } of own) {
        assert.match(timestamp, iso);
        assert.match(requestId!, /./);
        assert.match(spanId!, id16);
        assert.deepEqual(entry, {
          level: entry.level,
          message: `at ${entry.level}`,
          traceId,
          route: ref,
          phase: "handler",
          serverAdapter: adapter,
          data: { level: entry.level, password: "[redacted]" },
        });
      }
      const { logs: grave } = await get<{ logs: LogEntry[] }>("logs?level=error");
      assert.deepEqual(
        grave.map(({ level, message }) => `${level}: ${message}`),
        // `GET /fail` throws the other error.
        ["error: It is taken", "fatal: at fatal", "error: at error"],
      );
    });

    test("log entries are the same on standard output, in the sidecar, for plugins and in a collector", async () => {
      await until(
        () => written.includes('"at fatal"') && collector.logs.length >= logged.length,
        "the entries",
      );
      const printed = written
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as LogEntry);
      assert.deepEqual(printed, JSON.parse(JSON.stringify(logged)));
      const { logs } = await get<{ logs: LogEntry[] }>("logs?limit=1000&level=trace");
      assert.deepEqual(logs.toReversed(), printed);
      const got = collector.logs.map((log) => fromCollector(log));
      assert.deepEqual(
        got,
        printed.map((entry) => Object.assign({ severity: numbers[entry.level] }, entry)),
      );
    });

    test("spans have their names, attributes and status", async () => {
      const { spans } = await get<{ spans: Span[] }>("spans?since=5m");
      const ours = spans.filter((span) => span.traceId === traceId);
      const root = ours.find(({ attributes }) => attributes["http.status_code"] === 201)!;
      const { spanId, startTime, endTime, durationMs, ...rest } = root as unknown as Json;
      assert.match(String(spanId), id16);
      assert.match(String(startTime), iso);
      assert.match(String(endTime), iso);
      assert.ok(Number(durationMs) >= 0);
      assert.deepEqual(rest, {
        traceId,
        parentSpanId: parent,
        name: ref,
        kind: "server",
        offsetMs: 0,
        status: "ok",
        attributes: { "http.method": "POST", "http.route": "/things/:id", "http.status_code": 201 },
      });
      const children = ours.filter(({ parentSpanId }) => parentSpanId === root.spanId);
      assert.deepEqual(
        children.map((span) => span.name),
        [
          "middleware:auth",
          "validation:params",
          "validation:query",
          "validation:body",
          "handler",
          "serialization",
          "server:write",
        ],
      );
      assert.ok(children.every(({ kind, status }) => kind === "internal" && status === "ok"));
      const handler = children.find((span) => span.name === "handler")!;
      assert.deepEqual(handler.attributes, { "thing.count": 3, "thing.isNew": true });
    });

    test("spans of failed requests contain the error", async () => {
      const { traces } = await get<{ traces: Span[] }>("traces");
      const failed = traces.find((span) => span.name === "GET /fail")!;
      assert.match(failed.traceId, id32);
      assert.equal(failed.parentSpanId, undefined);
      assert.equal(failed.status, "error");
      assert.deepEqual(failed.attributes, {
        "http.method": "GET",
        "http.route": "/fail",
        "http.status_code": 409,
        "error.message": "It is taken",
      });
      const status = (span: string): unknown => failed.children!.find((child) => child.name === span)?.status;
      assert.deepEqual([status("middleware:auth"), status("handler")], ["ok", "error"]);
      const invalid = traces.find(({ attributes }) => attributes["http.status_code"] === 400)!;
      assert.deepEqual(
        invalid.children!.map((span) => [span.name, span.status]),
        [
          ["middleware:auth", "ok"],
          ["validation:params", "ok"],
          ["validation:query", "ok"],
          ["validation:body", "error"],
          ["server:write", "ok"],
        ],
      );
    });

    test("the phases of a request are recorded in order", async () => {
      const { requests } = await get<{ requests: { status: number; lifecycle: Json[] }[] }>("requests");
      const of = (wanted: number): Json[] => requests.find(({ status }) => status === wanted)!.lifecycle;
      for (const { timestamp, durationMs } of of(201)) {
        assert.match(String(timestamp), iso);
        assert.ok(Number(durationMs) >= 0);
      }
      const phasesOf = (lifecycle: Json[]): string[] =>
        lifecycle.map(({ phase, result, status }) => [phase, result, status].filter(Boolean).join(" "));
      const first = ["received", "server:normalize", "middleware:auth"];
      const valid = ["validation:params pass", "validation:query pass"];
      assert.deepEqual(phasesOf(of(201)), [
        ...first,
        ...valid,
        "validation:body pass",
        "handler",
        "serialization",
        "server:write",
        "response 201",
      ]);
      assert.deepEqual(phasesOf(of(400)), [
        ...first,
        ...valid,
        "validation:body fail",
        "server:write",
        "response 400",
      ]);
    });

    test("the sidecar returns errors of a period and up to a limit", async () => {
      const { errors } = await get<{ errors: Json[] }>("errors?since=1h");
      assert.deepEqual(
        errors.map(({ status, code, phase, route: at }) => [status, code, phase, at]),
        [
          [400, "VALIDATION_ERROR", "validation:body", ref],
          [409, "TAKEN", "handler", "GET /fail"],
        ],
      );
      const [invalid, taken] = errors as [Json, Json];
      for (const error of errors) {
        assert.match(String(error["timestamp"]), iso);
        assert.match(String(error["traceId"]), id32);
      }
      assert.deepEqual(
        [taken["message"], taken["details"]],
        ["It is taken", { by: "Ada", relatedTests: [] }],
      );
      assert.equal(invalid["schema"], "NewThing");
      for (const query of ["last=1", "limit=1"])
        assert.deepEqual(await get(`errors?${query}`), { errors: [invalid] });
    });

    test("the sidecar returns latencies, health, server and routes", async () => {
      const figures = await get<Record<string, number>>("performance?route=/things/:id&window=5m");
      assert.deepEqual([figures["route"], figures["window"], figures["count"]], ["/things/:id", "5m", 2]);
      const { min, p50, p95, p99, max, avgMs } = figures as Record<string, number>;
      assert.ok(0 < min! && min! <= p50! && p50! <= p95! && p95! <= p99! && p99! <= max!);
      assert.ok(min! <= avgMs! && avgMs! <= max!);
      const health = await get("health");
      const { heapUsed, heapTotal, rss } = health["memory"] as Record<string, number>;
      assert.ok(heapUsed! > 0 && heapTotal! > 0 && rss! > 0 && Number(health["uptime"]) > 0);
      assert.ok("eventLoopLag" in health && Number(health["connections"]) >= 0);
      const { adapter: reportedAdapter, platform, port, status } = await get("server");
      assert.deepEqual([reportedAdapter, port, status], [adapter, Number(new URL(url).port), "ok"]);
      assert.equal(typeof platform, "string");
      const { routes } = await get<{ routes: Json[] }>("routes");
      assert.deepEqual(
        routes.map((one) => [one["ref"], one["middleware"], one["serializer"]]),
        [
          [ref, ["auth"], "Thing"],
          ["GET /fail", ["auth"], "Thing"],
        ],
      );
      const { method, path, validators } = await get("routes/POST/things/:id");
      assert.deepEqual(
        { method, path, validators },
        {
          method: "POST",
          path: "/things/:id",
          validators: { params: "Id", query: "Query", body: "NewThing" },
        },
      );
      assert.deepEqual(await get("deps"), await get("dependencies"));
      const { hooks } = await get<{ hooks: unknown[] }>("build-pipeline");
      assert.equal(hooks.length, 6);
    });

    test("hidden values appear in no log entry, span or response of the sidecar", async () => {
      const all: unknown[] = [written, collector.spans.map(({ attributes }) => attributes), collector.logs];
      for (const path of ["requests", "errors", "logs?level=trace", "spans", "traces"])
        all.push(await get(path));
      const found = /.{0,100}(hidden-|4711471147)/.exec(
        JSON.stringify(all, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
      );
      assert.equal(found, null, found?.[0]);
    });
  });
}

/** Converts a log record of the collector back to the log entry from which it was made. */
function fromCollector({
  traceId: trace,
  spanId,
  timeUnixNano,
  severityText,
  body,
  attributes,
  ...rest
}: GotLog): object {
  const { route: at, phase, requestId, serverAdapter, data } = attributes;
  const names = Object.keys(numbers) as (keyof typeof numbers)[];
  const level = names.find((one) => one.toUpperCase() === severityText)!;
  assert.equal(rest.severityNumber, `SEVERITY_NUMBER_${severityText}`);
  return {
    level,
    message: body,
    timestamp: new Date(Number(timeUnixNano / 1_000_000n)).toISOString(),
    ...(trace !== "" && { traceId: trace }),
    ...(spanId !== "" && { spanId }),
    ...(at !== undefined && { route: at }),
    ...(phase !== undefined && { phase }),
    ...(requestId !== undefined && { requestId }),
    serverAdapter,
    ...(data !== undefined && { data }),
    severity: numbers[level],
  };
}
