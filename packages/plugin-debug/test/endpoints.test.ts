// Tests every endpoint of the sidecar with a running application.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";

import { debugPlugin } from "@kit/plugin-debug";
import { serve } from "../../core/test/support/serve.ts";
import { errorOf, json, routes, start, until, type WithSidecar } from "./support/sidecar.ts";

let app: WithSidecar;
before(async () => {
  app = await start();
  await app.send("GET /things/7?page=2");
  await app.send("GET /things/none");
  await app.send("GET /things/broken");
  await app.send("POST /things", json({ name: 1 }));
  await app.send("GET /nowhere");
});
after(() => app.close());

interface Failure {
  code: string;
  status: number;
  message: string;
  route: string | null;
  phase: string;
  requestId: string;
  traceId: string;
  timestamp: string;
  details?: unknown;
}

interface Request {
  requestId: string;
  traceId: string;
  target: string;
  status: number;
  route: string | null;
  spans: Span[];
  lifecycle: { phase: string }[];
}

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTime: string;
  endTime: string;
  status: string;
  attributes: Record<string, unknown>;
  children?: Span[];
}

describe("the history of the sidecar", () => {
  it("returns the requests that match a filter", async () => {
    const { requests, active } = await app.ok<{ requests: Request[]; active: unknown[] }>("/_debug/requests");
    assert.deepEqual(
      requests.map(({ target, status }) => `${status} ${target}`),
      ["404 /nowhere", "400 /things", "500 /things/broken", "404 /things/none", "200 /things/7?page=2"],
    );
    assert.deepEqual(active, []);
    assert.ok(requests[4]!.lifecycle.some(({ phase }) => phase === "handler"));
    const paths = async (query: string): Promise<string[]> =>
      (await app.ok<{ requests: Request[] }>(`/_debug/requests?${query}`)).requests.map(
        ({ target }) => target,
      );
    assert.deepEqual(await paths("limit=2"), ["/nowhere", "/things"]);
    assert.deepEqual(await paths("status=500"), ["/things/broken"]);
    assert.deepEqual(await paths("route=/things/:id&limit=1"), ["/things/broken"]);
    assert.deepEqual(await paths("route=POST%20/things"), ["/things"]);
    assert.equal((await paths("since=1h")).length, 5);
  });

  it("returns one request with its log entries and its error", async () => {
    const { requests } = await app.ok<{ requests: Request[] }>("/_debug/requests");
    const about = (
      index: number,
    ): Promise<{ request: Request; error: Failure | null; logs: { message: string }[] }> =>
      app.ok(`/_debug/requests/${requests[index]!.requestId}`);
    const broken = await about(2);
    assert.equal(broken.request.target, "/things/broken");
    assert.equal(broken.error?.message, "out of order");
    const fine = await about(4);
    assert.equal(fine.error, null);
    assert.deepEqual(
      fine.logs.map(({ message }) => message),
      ["In detail", "Thing read"],
    );
  });

  it("returns errors, each with the id of its request", async () => {
    const { errors } = await app.ok<{ errors: Failure[] }>("/_debug/errors");
    assert.deepEqual(
      errors.map(({ status, code, route, phase }) => [status, code, route, phase]),
      [
        [404, "NOT_FOUND", null, "server:normalize"],
        [400, "VALIDATION_ERROR", "POST /things", "validation:body"],
        [500, "INTERNAL_SERVER_ERROR", "GET /things/:id", "handler"],
        [404, "THING_NOT_FOUND", "GET /things/:id", "handler"],
      ],
    );
    for (const error of errors) {
      assert.match(error.traceId, /^[0-9a-f]{32}$/);
      assert.ok(Math.abs(Date.parse(error.timestamp) - Date.now()) < 600_000);
      const { request } = await app.ok<{ request: Request }>(`/_debug/requests/${error.requestId}`);
      assert.deepEqual(
        [request.traceId, request.status, request.route],
        [error.traceId, error.status, error.route],
      );
    }
    assert.match(JSON.stringify(errors[2]!.details), /sidecar\.ts/);
    const count = async (query: string): Promise<number> =>
      (await app.ok<{ errors: unknown[] }>(`/_debug/errors?${query}`)).errors.length;
    assert.deepEqual(
      [
        await count("last=2"),
        await count("limit=3"),
        await count("limit=3&last=1"),
        await count("last=9999"),
      ],
      [2, 3, 1, 4],
    );
    assert.equal(await count("since=5m"), 4);
  });

  it("returns log entries, filtered by level and time", async () => {
    const { logs } = await app.ok<{ logs: Record<string, unknown>[] }>("/_debug/logs");
    const entry = logs.find(({ message }) => message === "Thing read")!;
    const { timestamp, traceId, requestId, spanId, ...rest } = entry;
    assert.deepEqual(rest, {
      level: "info",
      message: "Thing read",
      route: "GET /things/:id",
      phase: "handler",
      serverAdapter: "memory",
      data: { id: "7", password: "[redacted]", apiSecret: "s3cr3t" },
    });
    assert.match(String(traceId), /^[0-9a-f]{32}$/);
    assert.match(String(spanId), /^[0-9a-f]{16}$/);
    assert.ok(requestId !== undefined && !Number.isNaN(Date.parse(String(timestamp))));
    const levels = async (query: string): Promise<Set<unknown>> =>
      new Set(
        (await app.ok<{ logs: { level: string }[] }>(`/_debug/logs?${query}`)).logs.map(({ level }) => level),
      );
    assert.deepEqual(await levels("level=error"), new Set(["error"]));
    assert.ok((await levels("level=trace&since=1h")).has("debug"));
    assert.ok(!(await levels("level=info")).has("debug"));
    const own = await app.ok<{ logs: unknown[] }>(`/_debug/logs?requestId=${String(requestId)}`);
    assert.equal(own.logs.length, 2);
  });

  it("returns spans and traces", async () => {
    const { spans } = await app.ok<{ spans: Span[] }>("/_debug/spans?since=5m");
    const root = spans.find(
      ({ name, attributes }) => name === "GET /things/:id" && attributes["http.status_code"] === 200,
    )!;
    const handler = spans.find((span) => span.parentSpanId === root.spanId && span.name === "handler")!;
    assert.equal(handler.traceId, root.traceId);
    const { traces } = await app.ok<{ traces: Span[] }>("/_debug/traces");
    assert.equal(traces.length, 5);
    const tree = traces.find(({ traceId }) => traceId === root.traceId)!;
    const { children, ...own } = tree;
    assert.deepEqual(own, root);
    assert.ok(children!.some(({ spanId }) => spanId === handler.spanId));
    for (const key of ["startTime", "endTime", "status", "attributes"]) assert.ok(key in handler, key);
    assert.equal((await app.ok<{ spans: Span[] }>("/_debug/spans?limit=3")).spans.length, 3);
  });

  it("returns at most 100 traces, and no more requests than the history stores", async () => {
    const busy = await start({ mode: "dev", keep: 120 });
    for (let count = 0; count < 150; count += 1) await busy.send(`GET /things/${count}`);
    assert.equal((await busy.ok<{ traces: unknown[] }>("/_debug/traces")).traces.length, 100);
    const { requests } = await busy.ok<{ requests: Request[] }>("/_debug/requests?limit=1000");
    assert.equal(requests.length, 120);
    assert.equal(requests[0]!.target, "/things/149");
    await busy.close();
  });

  it("counts errors that arrive faster than it can describe them", async () => {
    const flooded = await start({ mode: "dev" }, { logLevel: "info" });
    for (let count = 0; count < 1_000; count += 1) await flooded.send("GET /nowhere");
    const { errors } = await flooded.ok<{ errors: unknown[] }>("/_debug/errors?limit=1000");
    const { missed } = await flooded.ok<{ missed: { errors: number } }>("/_debug/health");
    assert.equal(errors.length + missed.errors, 1_000);
    assert.ok(errors.length >= 100);
    await flooded.close();
  });
});

interface Figures {
  route: string | null;
  window: string;
  count: number;
  failed: number;
  p50: number;
  p95: number;
  p99: number;
  min: number;
  max: number;
  avgMs: number;
  throughput: number;
  routes?: Figures[];
}

const of = (query: string): Promise<Figures> => app.ok(`/_debug/performance?${query}`);

describe("performance figures", () => {
  it("are returned for a path, for one route, and for all routes", async () => {
    const path = await of("route=/things/:id&window=1h");
    assert.deepEqual([path.route, path.window, path.count, path.failed], ["/things/:id", "1h", 3, 1]);
    assert.ok(path.min > 0 && path.min <= path.p50 && path.p50 <= path.p95 && path.p95 <= path.p99);
    assert.ok(path.p99 <= path.max && path.avgMs >= path.min && path.avgMs <= path.max);
    assert.deepEqual([(await of("route=POST%20/things")).count, (await of("window=24h")).count], [1, 5]);
    const all = await of("");
    assert.equal(all.window, "5m");
    assert.ok(all.throughput > 0);
    const { min, p50, p95, p99, max, avgMs, throughput } = path;
    for (const figure of [min, p50, p95, p99, max, avgMs, throughput])
      assert.ok(
        Number.isInteger(figure) || String(figure).replaceAll(/^0\.0*|\./g, "").length <= 3,
        `${figure}`,
      );
    assert.deepEqual(
      all.routes!.map(({ route, count }) => [route, count]),
      [
        ["GET /things/:id", 3],
        ["POST /things", 1],
        [null, 1],
      ],
    );
    // This is the request that `kit inspect performance` sends if no route is given.
    assert.equal((await of("route=/")).count, 4);
  });

  it("are zero for a route that had no requests", async () => {
    const fresh = await start();
    const figures = await fresh.ok("/_debug/performance?route=/things");
    assert.deepEqual([figures["count"], figures["p50"], figures["throughput"]], [0, null, 0]);
    await fresh.close();
  });
});

describe("the state of the process", () => {
  it("is returned by the endpoints health and server", async () => {
    const health = await app.ok("/_debug/health");
    assert.deepEqual(
      [health["status"], health["adapter"], health["port"], health["host"]],
      ["ok", "memory", 40_000, "localhost"],
    );
    const { heapUsed, heapTotal, rss } = health["memory"] as Record<string, number>;
    assert.ok(heapUsed! > 0 && heapTotal! >= heapUsed! && rss! > 0);
    assert.ok((health["uptime"] as number) > 0);
    assert.deepEqual(health["requests"], { active: 0, answered: 5 });
    await until(
      "the event loop is measured",
      async () => (await app.ok("/_debug/health"))["eventLoopLag"] !== null,
    );
    // Blocks the event loop for half a second, so that there is a delay to measure.
    const end = performance.now() + 500;
    while (performance.now() < end);
    await until("the work shows", async () => {
      const { eventLoopLag } = await app.ok<{ eventLoopLag: { maxMs: number } }>("/_debug/health");
      return eventLoopLag.maxMs >= 400;
    });
    const server = await app.ok("/_debug/server");
    assert.deepEqual(Object.keys(server), ["adapter", "platform", "status", "port", "host", "url"]);
  });
});

describe("artifacts of the build", () => {
  it("contain the contract of each route, for each spelling of its path", async () => {
    const { routes: listed } = await app.ok<{ routes: Record<string, unknown>[] }>("/_debug/routes");
    assert.deepEqual(
      listed.map(({ ref }) => ref),
      ["GET /things/:id", "POST /things"],
    );
    const one = await app.ok("/_debug/routes/POST/things");
    assert.deepEqual(one, listed[1]);
    const { method, path, ref, middleware, validators, serializer } = one;
    assert.deepEqual(
      { method, path, ref, middleware, validators, serializer },
      {
        method: "POST",
        path: "/things",
        ref: "POST /things",
        middleware: [],
        validators: { body: "NewThing" },
        serializer: "Thing",
      },
    );
    for (const spelling of ["get/things/:id", "GET/things%2F%3Aid", "GET/%2Fthings%2F:id", "GET//things/:id"])
      assert.equal((await app.ok(`/_debug/routes/${spelling}`))["ref"], "GET /things/:id");
  });

  it("contain the hooks of the build in order", async () => {
    const { hooks } = await app.ok<{ hooks: { name: string; order: number }[] }>("/_debug/build-pipeline");
    assert.deepEqual(
      hooks.map(({ name, order }) => `${order} ${name}`),
      ["1 beforeTransform", "2 afterTypeParse", "3 afterValidators", "4 afterRouteTable", "5 emit", "6 done"],
    );
  });

  it("list the packages of kit, at both paths of the endpoint", async () => {
    const deps = await app.ok<{ dependencies: { name: string; dependsOn: string[] }[] }>("/_debug/deps");
    assert.deepEqual(await app.ok("/_debug/dependencies"), deps);
    assert.ok(deps.dependencies.length > 0);
  });

  it("cause an error with the command to run if they are missing", async () => {
    const answers = await Promise.all(
      ["/_debug/middleware", "/_debug/schema/Thing"].map((path) => app.get(path)),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 404);
      assert.match(errorOf(answer).message, /is not there: run `kit build`/);
    }
  });
});

describe("an invalid request is refused", () => {
  const cases: [path: string, status: number, message: RegExp][] = [
    ["/_debug/helth", 404, /nothing at \/_debug\/helth; did you mean \/_debug\/health\?/],
    ["/elsewhere/entirely/and/far/away", 404, /`\/` lists what there is/],
    ["/_debug/health/", 404, /nothing at/],
    ["/_debug/health/more", 404, /nothing at/],
    ["/_debug/health?verbose=1", 400, /no parameter `verbose`; this endpoint has no parameters/],
    ["/_debug/errors?lats=1", 400, /no parameter `lats`; did you mean `last`\?/],
    ["/_debug/errors?last=1&last=2", 400, /the parameter `last` is given twice/],
    ["/_debug/errors?last=0", 400, /`last` must be a whole number from 1 to \d+, not "0"/],
    ["/_debug/errors?limit=-1", 400, /`limit` must be a whole number/],
    ["/_debug/errors?limit=1e3", 400, /`limit` must be a whole number/],
    ["/_debug/errors?since=yesterday", 400, /`since` must be a duration, .*`5m`.* not "yesterday"/],
    ["/_debug/errors?since=5", 400, /`since` must be a duration/],
    [
      "/_debug/logs?level=warning",
      400,
      /`level` must be one of trace, debug, info, warn, error, fatal; not "warning"/,
    ],
    ["/_debug/performance?window=0m", 400, /`window` must be a duration/],
    ["/_debug/performance?window=25h", 400, /`window` may be at most 24h, .* not 25h/],
    ["/_debug/performance?route=/thing", 404, /no route `\/thing`; did you mean `\/things`\?/],
    ["/_debug/requests?route=/thing", 404, /did you mean `\/things`\?/],
    ["/_debug/requests?status=99", 400, /`status` must be a whole number from 100 to 599/],
    ["/_debug/requests/unknown", 404, /no request unknown; the sidecar keeps only the last requests/],
    ["/_debug/routes/GET/thing", 404, /no route `GET \/thing`; did you mean /],
    ["/_debug/routes/%zz/x", 400, /invalid percent-escape/],
    ["/_debug/source", 400, /`file` must be a path below the project's root/],
    ["/?format=xml", 400, /`format` must be one of json/],
  ];
  for (const [path, status, message] of cases) {
    it(path, async () => {
      const answer = await app.get(path);
      assert.equal(answer.status, status, answer.text);
      assert.match(errorOf(answer).message, message);
      if (message.source.startsWith("no route")) assert.equal(errorOf(answer).code, "ROUTE_NOT_FOUND");
      assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
    });
  }

  it("the list at `/` contains every endpoint", async () => {
    const { endpoints } = await app.ok<{ endpoints: { path: string; query: string[] }[] }>("/");
    for (const { path } of endpoints.filter(({ path: listed }) => !listed.includes(":"))) {
      // The endpoint for source code requires a parameter.
      const { status } = await app.get(path === "/_debug/source" ? `${path}?file=src/app.ts` : path);
      assert.ok(status === 200 || status === 404, `${path} ${status}`);
    }
    assert.deepEqual(endpoints.find(({ path }) => path === "/_debug/logs")?.query.slice(0, 2), [
      "since",
      "level",
    ]);
  });
});

describe("the port of the sidecar", () => {
  it("does not stop the application if another program uses the port, and the sidecar listens as soon as the port is free", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await until("the port is taken", () => other.listening);
    const { port } = other.address() as { port: number };
    const plugin = debugPlugin({ port, security: { hostname: "127.0.0.1" } });
    const served = await serve(routes, { plugins: [plugin], logLevel: "info" });
    const taken = new RegExp(`waits for port ${port}, which another program uses`);
    await until("it says so", () => served.log.some(({ message }) => taken.test(message)));
    assert.equal((await served.send("GET /things/7")).status, 200);
    assert.equal(plugin.address, null);
    other.close();
    await until("the sidecar listens", () => plugin.address?.port === port);
    assert.equal(served.log.filter(({ message }) => taken.test(message)).length, 1);
    await plugin.onStop?.();
  });

  it("does not stop the application if the sidecar can never listen on the port", async () => {
    const plugin = debugPlugin({ port: 0, security: { hostname: "192.0.2.1", apiKey: "k".repeat(16) } });
    const served = await serve(routes, { plugins: [plugin], logLevel: "info" });
    await until("it says so", () =>
      served.log.some(({ message }) => /cannot listen; the application goes on/.test(message)),
    );
    assert.equal((await served.send("GET /things/7")).status, 200);
    await plugin.onStop?.();
  });
});
