// Tests of the data that plugins receive about requests: host.requests, observe, describeError.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as immediate } from "node:timers/promises";

import type {
  FinishedRequestView,
  ErrorRecord,
  Plugin,
  PluginHost,
  RequestRecord,
  RunningSpan,
} from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { objectOf, paramsOf, queryOf, responseOf, route } from "./support/compiled.ts";
import { json, serve, type Served, type TestRoute } from "./support/serve.ts";

const thing = route("GET /things/:id", {
  params: paramsOf("Id", { id: "string" }),
  query: queryOf("Query", { page: "number?" }),
  response: responseOf("Thing", { id: "string" }),
});
const post = route("POST /things", {
  body: objectOf("NewThing", { name: "string", password: "string?" }),
  response: responseOf("Thing", { id: "string" }),
});

const bad = (): never => {
  throw new Error("out of order");
};

const beginsWithA = ({ traceId }: { traceId: string }): boolean => traceId.startsWith("a");

const targets = (records: readonly RequestRecord[]): string[] => records.map(({ target }) => target);

interface Watched extends Served {
  readonly host: PluginHost;
}

async function watch(
  routes: readonly TestRoute[],
  observe: Plugin["observe"] = {},
  options: Parameters<typeof serve>[1] = {},
): Promise<Watched> {
  let host: PluginHost | undefined;
  const plugin: Plugin = { name: "watch", observe, onStart: (given) => void (host = given) };
  const served = await serve(routes, { ...options, plugins: [plugin, ...(options.plugins ?? [])] });
  return { ...served, host: host! };
}

const getThing: TestRoute = [thing, ({ params }) => ({ id: params["id"] })];
const last = (host: PluginHost): RequestRecord => host.requests!.recent({ limit: 1 })[0]!;

describe("host.requests", () => {
  it("is null if no plugin observes requests", async () => {
    let host: PluginHost | undefined;
    await serve([getThing], { plugins: [{ name: "other", onStart: (given) => void (host = given) }] });
    assert.equal(host!.requests, null);
  });

  it("contains a finished request with its phases and spans", async () => {
    const { send, host } = await watch([getThing]);
    const before = Date.now();
    await send("GET /things/7?page=2");
    const record = last(host);
    assert.ok(Math.abs(record.startTime - before) < 60_000 && record.durationMs >= 0);
    const { traceId, requestId, lifecycle, spans, startTime, durationMs, ...rest } = record;
    assert.deepEqual(rest, {
      sequence: 1,
      method: "GET",
      target: "/things/7?page=2",
      route: "GET /things/:id",
      status: 200,
      isActive: false,
      phase: "response",
      fault: null,
      isSampled: false,
      traceState: null,
      received: null,
    });
    assert.match(traceId, /^[0-9a-f]{32}$/);
    assert.match(requestId, /^[0-9a-f]+-/);
    assert.deepEqual(
      lifecycle.map(({ phase, result, status }) => [phase, result, status].filter(Boolean).join(" ")),
      [
        "received",
        "server:normalize",
        "validation:params pass",
        "validation:query pass",
        "validation:body pass",
        "handler",
        "serialization",
        "server:write",
        "response 200",
      ],
    );
    // Phases follow each other without a gap.
    const sum = lifecycle.reduce((total, phase) => total + phase.durationMs, 0);
    assert.ok(Math.abs(sum - durationMs) < 1e-6);
    const [root, ...children] = spans;
    assert.equal(root!.name, "GET /things/:id");
    assert.equal(root!.startTime, new Date(startTime).toISOString());
    assert.ok(children.every((span) => span.parentSpanId === root!.spanId && span.traceId === traceId));
    assert.deepEqual(
      children.map(({ name }) => name),
      [
        "validation:params",
        "validation:query",
        "validation:body",
        "handler",
        "serialization",
        "server:write",
      ],
    );
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
    assert.ok(spans.every(({ spanId }) => /^[0-9a-f]{16}$/.test(spanId)));
    // Ids are generated on first use and stay the same.
    assert.deepEqual(last(host), record);
    assert.deepEqual(host.requests!.find(requestId), record);
    assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
  });

  it("contains the last finished requests up to the capacity, and every active request", async () => {
    const gate = Promise.withResolvers<void>();
    const slow: TestRoute = [
      route("GET /slow", { response: responseOf("Slow", {}) }),
      () => gate.promise.then(() => ({})),
    ];
    const { send, host } = await watch([getThing, slow], { capacity: 3 });
    const requests = host.requests!;
    const answer = send("GET /slow");
    for (let index = 1; index <= 10; index += 1) await send(`GET /things/${index}`);
    assert.equal(requests.activeCount, 1);
    assert.equal(requests.finishedCount, 10);
    assert.equal(requests.capacity, 3);
    assert.deepEqual(targets(requests.recent()), ["/things/10", "/things/9", "/things/8"]);
    assert.deepEqual(targets(requests.recent({ limit: 2 })), ["/things/10", "/things/9"]);
    assert.deepEqual(targets(requests.recent({ after: requests.recent()[0]!.sequence - 1 })), ["/things/10"]);
    const [active] = requests.active();
    assert.equal(active!.phase, "handler");
    assert.equal(active!.status, 0);
    assert.ok(active!.isActive && active!.spans.at(-1)!.endTime === undefined);
    assert.equal(active!.lifecycle.at(-1)!.phase, "handler");
    gate.resolve();
    await answer;
    assert.equal(requests.activeCount, 0);
    const [done] = requests.recent();
    assert.equal(done!.target, "/slow");
    assert.equal(done!.requestId, active!.requestId);
    assert.equal(done!.spans.find(({ name }) => name === "handler")!.spanId, active!.spans.at(-1)!.spanId);
  });

  it("contains the reason of a failed request, and marks the span of the phase that failed", async () => {
    const failing: TestRoute = [
      thing,
      () => {
        throw new NotFoundError("THING_NOT_FOUND", "There is no thing 7");
      },
    ];
    const { send, host } = await watch([failing, [post, () => ({ id: "1" })]]);
    await send("GET /things/7");
    const record = last(host);
    const fault = {
      code: "THING_NOT_FOUND",
      name: "NotFoundError",
      message: "There is no thing 7",
      phase: "handler",
    };
    assert.deepEqual(record.fault, fault);
    assert.equal(record.phase, "handler");
    const marked = record.spans.filter(({ status }) => status === "error");
    assert.deepEqual(
      marked.map(({ name, attributes }) => Object.assign({ name }, attributes)),
      [
        {
          name: "GET /things/:id",
          "http.method": "GET",
          "http.route": "/things/:id",
          "http.status_code": 404,
          "error.message": fault.message,
        },
        { name: "handler", "error.message": fault.message },
      ],
    );
    await send("POST /things", json({ name: 5 }));
    assert.equal(last(host).fault!.phase, "validation:body");
    assert.deepEqual(
      last(host)
        .lifecycle.filter(({ result }) => result !== undefined)
        .map(({ phase, result }) => `${phase} ${result}`),
      ["validation:params pass", "validation:query pass", "validation:body fail"],
    );
    await send("GET /nowhere");
    assert.equal(last(host).route, null);
    assert.equal(last(host).fault!.code, "NOT_FOUND");
    assert.equal(last(host).spans[0]!.name, "GET");
  });

  it("continues the trace of a client that sent traceparent", async () => {
    const { send, host } = await watch([getThing]);
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await send("GET /things/7", {
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: "a=1" },
    });
    const { isSampled, traceState, spans, ...record } = last(host);
    assert.deepEqual(
      { isSampled, traceState, traceId: record.traceId, parent: spans[0]!.parentSpanId },
      { isSampled: true, traceState: "a=1", traceId, parent: "b7ad6b7169203331" },
    );
  });

  it("hides the values of paths and queries that the log hides", async () => {
    const secret = route("GET /reset/:token/:id", { response: responseOf("Reset", {}) });
    const { send, host } = await watch(
      [[secret, () => ({})]],
      {},
      { logging: { redact: ["token", "query.key"] } },
    );
    await send("GET /reset/abc/5?key=s%20s&TOKEN=x&page=2&key");
    assert.equal(last(host).target, "/reset/[redacted]/5?key=[redacted]&TOKEN=[redacted]&page=2&key");
  });

  it("contains request headers and bodies only if an observer requests them, up to a maximum body size", async () => {
    const { send, host } = await watch([[post, () => ({ id: "1" })]], { captureRequests: { bodyBytes: 40 } });
    await send("POST /things", json({ name: "a" }));
    assert.deepEqual(last(host).received, {
      headers: { "content-type": "application/json" },
      body: '{"name":"a"}',
      bodyLength: 12,
    });
    await send("POST /things", json({ name: "a".repeat(40) }));
    assert.equal(last(host).received!.body, null);
    assert.equal(last(host).received!.bodyLength, 51);
  });
});

describe("observe", () => {
  it("calls onResponse for each response, with a view from which the plugin can copy a record", async () => {
    const views: unknown[] = [];
    const records: RequestRecord[] = [];
    const onResponse = (view: FinishedRequestView): void => {
      const { routeNumber, route: ref, method, status, sequence } = view;
      views.push({ routeNumber, ref, method, status, sequence });
      records.push(view.record());
      assert.ok(view.durationMs >= 0 && view.startTime > 0);
      assert.equal(view.lifecycle().totalMs, view.durationMs);
    };
    const { send } = await watch([getThing, [post, () => ({ id: "1" })]], { onResponse, capacity: 1 });
    await send("POST /things", json({ name: "a" }));
    await send("GET /things/1");
    await send("PUT /nowhere");
    assert.deepEqual(views, [
      { routeNumber: 1, ref: "POST /things", method: "POST", status: 201, sequence: 1 },
      { routeNumber: 0, ref: "GET /things/:id", method: "GET", status: 200, sequence: 2 },
      { routeNumber: -1, ref: null, method: "PUT", status: 404, sequence: 3 },
    ]);
    assert.deepEqual(
      records.map(({ target }) => target),
      ["/things", "/things/1", "/nowhere"],
    );
  });

  it("provides ctx.span in handlers and middleware, and adds the span id to log entries", async () => {
    const handler: TestRoute = [
      thing,
      async ({ ctx }) => {
        ctx.span!.setAttribute("thing.count", 3);
        await Promise.resolve();
        ctx.span!.setAttribute("__proto__", false);
        ctx.span!.setAttribute("__proto__", true);
        ctx.log.info("in the handler");
        return { id: "1" };
      },
    ];
    const { send, host, log } = await watch([handler], { spans: true }, { logLevel: "info" });
    await send("GET /things/1");
    const span = last(host).spans.find(({ name }) => name === "handler")!;
    assert.deepEqual(Object.entries(span.attributes), [
      ["thing.count", 3],
      ["__proto__", true],
    ]);
    const [entry] = log;
    assert.equal(entry!.spanId, span.spanId);
    assert.equal(entry!.traceId, span.traceId);
  });

  it("hides the values of span attributes that the log hides", async () => {
    const handler: TestRoute = [
      thing,
      ({ ctx }) => {
        ctx.span!.setAttribute("user.password", "secret");
        ctx.span!.setAttribute("user.name", "Ada");
        return { id: "1" };
      },
    ];
    const { send, host } = await watch([handler], { spans: true }, { logging: { redact: ["*.password"] } });
    await send("GET /things/1");
    const span = last(host).spans.find(({ name }) => name === "handler")!;
    assert.deepEqual(span.attributes, { "user.password": "[redacted]", "user.name": "Ada" });
  });

  it("provides the requests that finished since the last call, and counts requests that are no longer stored", async () => {
    const { send, host } = await watch([getThing], { capacity: 4, isSampled: beginsWithA });
    const requests = host.requests!;
    const traced = (id: number, letter: string): Promise<unknown> =>
      send(`GET /things/${id}`, { headers: { traceparent: `00-${letter.repeat(32)}-${"b".repeat(16)}-01` } });
    for (let id = 1; id <= 3; id += 1) await traced(id, id === 2 ? "c" : "a");
    const first = requests.finished(0, { limit: 2 });
    assert.deepEqual(
      [targets(first.records), first.next, first.missed, first.left],
      [["/things/1", "/things/2"], 2, 0, 1],
    );
    const sampled = requests.finished(0, { limit: 2, sampled: true });
    assert.deepEqual([targets(sampled.records), sampled.left], [["/things/1", "/things/3"], 0]);
    for (let id = 4; id <= 9; id += 1) await traced(id, "a");
    const late = requests.finished(first.next, { limit: 10 });
    assert.deepEqual(targets(late.records), ["/things/6", "/things/7", "/things/8", "/things/9"]);
    assert.deepEqual([late.next, late.missed], [9, 3]);
    assert.deepEqual(requests.finished(late.next, { limit: 10 }), {
      records: [],
      next: 9,
      missed: 0,
      left: 0,
    });
  });

  it("provides trace headers for requests to other services", async () => {
    const traceHeaders: object[] = [];
    const handler: TestRoute = [
      thing,
      async ({ ctx }) => {
        traceHeaders.push({ ...ctx.traceHeaders, traceId: ctx.traceId });
        setImmediate(() => traceHeaders.push({ ...ctx.traceHeaders }));
        return { id: "1" };
      },
    ];
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const headers = { traceparent, tracestate: "a=1,b=2" };
    const watched = await watch([handler], { spans: true });
    await watched.send("GET /things/1", { headers });
    await immediate();
    const { spanId } = last(watched.host).spans.find(({ name }) => name === "handler")!;
    const own = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: "a=1,b=2" };
    // After the response, the trace headers are those of the client.
    assert.deepEqual(traceHeaders, [{ ...own, traceId }, headers]);

    const { send } = await serve([handler]);
    traceHeaders.length = 0;
    await send("GET /things/1", { headers });
    await immediate();
    // No spans are recorded, so the client's header is passed on until the response.
    const [during, late] = traceHeaders as [object, { traceparent: string }];
    assert.deepEqual(during, { ...headers, traceId });
    assert.match(late.traceparent, new RegExp(`^00-${traceId}-(?!0{16})[0-9a-f]{16}-00$`));
    traceHeaders.length = 0;
    await send("GET /things/1", {
      headers: { ...headers, traceparent: `00-${"0".repeat(32)}-b7ad6b7169203331-01` },
    });
    await immediate();
    const [fresh] = traceHeaders as [{ traceparent: string; traceId: string; tracestate?: string }];
    assert.match(fresh.traceparent, /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/);
    assert.ok(fresh.traceparent.includes(fresh.traceId) && fresh.tracestate === undefined);
  });

  it("does not provide ctx.span if no plugin requests spans", async () => {
    let span: unknown = "unread";
    const handler: TestRoute = [thing, ({ ctx }) => ((span = ctx.span), { id: "1" })];
    const { send, host, log } = await watch([handler], {}, { logLevel: "info" });
    await send("GET /things/1");
    assert.equal(span, undefined);
    host.log.info("outside of a request");
    assert.equal(log[0]!.spanId, undefined);
  });

  it("runs each middleware and handler inside of the around functions of all observers", async () => {
    const around: string[] = [];
    const guarded = route("GET /guarded", {
      response: responseOf("Guarded", {}),
      middleware: ["one", "two"],
    });
    const middleware = [
      { name: "one", middleware: () => undefined, priority: 1 },
      { name: "two", middleware: async () => undefined, priority: 2 },
    ];
    const note = (span: RunningSpan, run: () => unknown): unknown => {
      around.push(`${span.name} begins`);
      const result = run();
      around.push(`${span.name} returns`);
      return result;
    };
    const inner: Plugin = { name: "inner", observe: { around: (_, run) => run() } };
    const { send, host } = await watch(
      [[guarded, async () => ({})]],
      { around: note },
      { middleware, plugins: [inner] },
    );
    assert.equal((await send("GET /guarded")).status, 200);
    assert.deepEqual(
      around,
      ["middleware:one", "middleware:two", "handler"].flatMap((name) => [
        `${name} begins`,
        `${name} returns`,
      ]),
    );
    assert.equal(last(host).status, 200);
  });

  it("calls isSampled once per request", async () => {
    const questions: unknown[] = [];
    const isSampled = (question: object): boolean => questions.push(question) > 0;
    const { send, host } = await watch([getThing], { isSampled });
    await send("GET /things/1", { headers: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-00` } });
    assert.equal(last(host).isSampled && last(host).isSampled, true);
    assert.deepEqual(questions, [
      { traceId: "a".repeat(32), isParentSampled: false, method: "GET", route: "GET /things/:id" },
    ]);
  });

  it("does not affect requests if onResponse or isSampled throws", async () => {
    const { send, host, log } = await watch(
      [getThing],
      { onResponse: bad, isSampled: bad },
      { logLevel: "info" },
    );
    assert.equal((await send("GET /things/1")).status, 200);
    assert.equal(last(host).isSampled, false);
    assert.deepEqual(
      log.map(({ data }) => (data as { error: { message: string } }).error.message),
      ["observe.onResponse of the plugin watch failed", "observe.isSampled of the plugin watch failed"],
    );
  });

  it("refuses an invalid capacity", async () => {
    for (const keep of [-1, 1.5, 65_537, "9" as never])
      await assert.rejects(
        watch([getThing], { capacity: keep }),
        /The plugin watch: `observe.capacity` must be a whole number/,
      );
  });
});

describe("host.describeError", () => {
  it("returns a complete and redacted description of an error", async () => {
    const reported: ErrorRecord[] = [];
    let host: PluginHost | undefined;
    const plugin: Plugin = {
      name: "errors",
      onStart: (given) => void (host = given),
      onError: (error, request) => void reported.push(host!.describeError(error, request)),
    };
    const fail: TestRoute = [
      thing,
      () => {
        throw Object.assign(new Error('invalid input "ada@example.org"'), {
          code: "22P02",
          severity: "ERROR",
        });
      },
    ];
    const { send } = await serve([fail, [post, () => ({ id: "1" })]], {
      plugins: [plugin],
      logging: { redact: ["value"] },
    });
    await send("GET /things/7");
    await send("POST /things", json({ name: 5, password: 6 }));
    const [unknown, invalid] = reported as [ErrorRecord, ErrorRecord];
    assert.deepEqual(
      { ...unknown, timestamp: "", traceId: "", requestId: "", stack: "", details: {}, relatedTests: [] },
      {
        timestamp: "",
        traceId: "",
        requestId: "",
        method: "GET",
        path: "/things/7",
        route: "GET /things/:id",
        phase: "handler",
        status: 500,
        code: "INTERNAL_SERVER_ERROR",
        message: 'invalid input "[redacted]"',
        details: {},
        relatedTests: [],
        stack: "",
      },
    );
    assert.match(unknown.stack!, /observe\.test/);
    assert.ok(!JSON.stringify(reported).includes("ada@"));
    assert.equal(invalid.schema, "NewThing");
    assert.equal(invalid.failures!.length, 2);
    assert.match(JSON.stringify(invalid.details), /"value":"\[redacted\]"/);
    assert.equal(JSON.stringify(structuredClone(reported)), JSON.stringify(reported));
  });
});
