// Tests the interface of the debug sidecar: of an application on Node, and of the Rust server.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { createApp } from "@kit/core";
import { type DebugOptions, debugPlugin } from "@kit/plugin-debug";
import { nativeServer } from "@kit/server-native";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import {
  type Answer,
  errorOf,
  sendRequest,
  until,
} from "../../packages/plugin-debug/test/support/sidecar.ts";
import { optionsOf } from "./application.ts";
import { isRust, startRust } from "./rust.ts";

quietStdout();

/** Options of the sidecar, which are variables of the Rust server. */
interface Options {
  readonly mode: "dev" | "production";
  readonly apiKey?: string;
  readonly allowedIPs?: readonly string[];
  readonly redactFields?: readonly string[];
  readonly rateLimit?: { readonly max: number; readonly windowMs: number };
  readonly keep?: number;
}

/** Time after which the request to `/endless` gets 503. */
const requestTimeoutMs = 5_000;

/** Application with its sidecar. */
interface Observed extends AsyncDisposable {
  readonly port: number;
  readonly sidecarPort: number;
}

async function onNode(options: Options): Promise<Observed> {
  const plugin = debugPlugin({ port: 0, ...(options as DebugOptions) });
  const app = createApp({
    ...optionsOf(65_536),
    server: nativeServer(),
    logging: { level: "info" },
    requestTimeoutMs,
    plugins: [plugin],
  });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  await until("the sidecar listens", () => plugin.address !== null);
  const sidecarPort = plugin.address!.port;
  return { port, sidecarPort, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}

async function onRust({
  mode,
  apiKey,
  allowedIPs,
  redactFields,
  rateLimit,
  keep,
}: Options): Promise<Observed> {
  const variables = {
    LOG_LEVEL: "info",
    DEBUG_PORT: "0",
    ...(apiKey !== undefined && { DEBUG_KEY: apiKey }),
    ...(allowedIPs !== undefined && { DEBUG_ALLOWED_IPS: allowedIPs.join(",") }),
    ...(redactFields !== undefined && { DEBUG_REDACT: redactFields.join(",") }),
    ...(rateLimit !== undefined && {
      DEBUG_RATE_LIMIT: String(rateLimit.max),
      DEBUG_RATE_LIMIT_WINDOW_MS: String(rateLimit.windowMs),
    }),
    ...(keep !== undefined && { DEBUG_KEEP: String(keep) }),
  };
  const environment = mode === "dev" ? "development" : "production";
  const app = await startRust("rust-server", { bodyBytes: 65_536, requestTimeoutMs }, environment, variables);
  const sidecarPort = Number(/The debug sidecar listens on http:\/\/[\d.]+:(\d+)/.exec(app.log!())![1]);
  return { port: app.port, sidecarPort, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const start = isRust ? onRust : onNode;

type Json = Record<string, unknown>;

interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: string;
  readonly attributes: Json;
  readonly children?: readonly Span[];
}

interface Recorded {
  readonly requestId: string;
  readonly method: string;
  readonly target: string;
  readonly route: string | null;
  readonly status: number;
  readonly phase: string;
  readonly durationMs: number;
  readonly isActive: boolean;
  readonly fault: Json | null;
  readonly lifecycle: readonly { readonly phase: string; readonly result?: string }[];
  readonly spans: readonly Span[];
  readonly received: {
    readonly headers: Json;
    readonly body: string | null;
    readonly bodyLength: number;
  } | null;
}

const get = ({ sidecarPort }: Observed, path: string, headers = {}): Promise<Answer> =>
  sendRequest(sidecarPort, path, { headers });

/** Sends a GET request to the sidecar. Throws an error if the status is not 200. */
async function ok<T = Json>(app: Observed, path: string, headers = {}): Promise<T> {
  const answer = await get(app, path, headers);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as T;
}

const post = ({ port }: Observed, target: string, body: unknown, headers = {}): Promise<Answer> =>
  sendRequest(port, target, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** Returns the last request to a target. */
async function last(app: Observed, route: string, headers = {}): Promise<Recorded> {
  const { requests } = await ok<{ requests: Recorded[] }>(
    app,
    `/_debug/requests?limit=1&route=${encodeURIComponent(route)}`,
    headers,
  );
  return requests[0]!;
}

describe(`the sidecar of an application in development, ${isRust ? "rust" : "native"}`, () => {
  let app: Observed;
  before(async () => {
    app = await start({ mode: "dev", redactFields: ["x-own"] });
  });
  after(() => app?.[Symbol.asyncDispose]());

  test("shows a request with its phases, its headers and its body, and hides credentials", async () => {
    await post(
      app,
      "/notes?token=s3cr3t&page=1",
      { text: "hello", password: "hunter2" },
      { authorization: "Bearer s3cr3t", "x-own": "s3cr3t", "x-other": "shown" },
    );
    const { target, route, status, phase, isActive, fault, lifecycle, received } = await last(
      app,
      "POST /notes",
    );
    assert.equal(target, "/notes?token=[redacted]&page=1");
    assert.deepEqual(
      { route, status, phase, isActive, fault },
      { route: "POST /notes", status: 201, phase: "response", isActive: false, fault: null },
    );
    const phases = lifecycle.map((one) => one.phase);
    for (const name of ["received", "validation:body", "handler", "serialization", "response"])
      assert.ok(phases.includes(name), `${name}: ${phases}`);
    assert.equal(lifecycle.find((one) => one.phase === "validation:body")!.result, "pass");
    const { authorization, "x-own": own, "x-other": other } = received!.headers;
    assert.deepEqual([authorization, own, other], ["[redacted]", "[redacted]", "shown"]);
    assert.deepEqual(JSON.parse(received!.body!), { text: "hello", password: "[redacted]" });
    assert.equal(received!.bodyLength, 37);
  });

  test("does not show a body that is long or not JSON", async () => {
    await post(app, "/notes", { text: "x".repeat(9_000) });
    const long = await last(app, "POST /notes");
    assert.deepEqual([long.received!.body, long.received!.bodyLength], [null, 9_011]);
    await post(app, "/notes", "password=hunter2");
    const form = await last(app, "POST /notes");
    assert.deepEqual([form.received!.body, form.status], [null, 400]);
  });

  test("shows why a request was refused, with its error and its log entries", async () => {
    await post(app, "/notes", { text: 5 });
    const refused = await last(app, "POST /notes");
    assert.deepEqual(
      [refused.status, refused.phase, refused.fault!["code"]],
      [400, "validation:body", "VALIDATION_ERROR"],
    );
    assert.equal(refused.lifecycle.find((one) => one.phase === "validation:body")!.result, "fail");
    await sendRequest(app.port, "/bug");
    const bug = await last(app, "GET /bug");
    const { request, error, logs } = await ok<{ request: Recorded; error: Json; logs: Json[] }>(
      app,
      `/_debug/requests/${bug.requestId}`,
    );
    assert.deepEqual([request.status, request.phase], [500, "handler"]);
    assert.deepEqual(
      [error["code"], error["phase"], error["route"], error["path"], error["requestId"]],
      ["INTERNAL_SERVER_ERROR", "handler", "GET /bug", "/bug", bug.requestId],
    );
    assert.match(String(error["message"]), /secret/);
    assert.ok(logs.some(({ level, route }) => level === "error" && route === "GET /bug"));
    const { errors } = await ok<{ errors: Json[] }>(app, "/_debug/errors?last=2");
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["INTERNAL_SERVER_ERROR", "VALIDATION_ERROR"],
    );
    const [, invalid] = errors;
    assert.equal((invalid!["failures"] as Json[])[0]!["path"], "$.text");
    const { logs: severe } = await ok<{ logs: Json[] }>(app, "/_debug/logs?level=error&limit=1");
    assert.deepEqual([severe[0]!["level"], severe[0]!["requestId"]], ["error", bug.requestId]);
  });

  test("shows the spans of a request, flat and as a tree", async () => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await sendRequest(app.port, "/numbers/7", {
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    });
    const { spans } = await last(app, "GET /numbers/:id");
    const [root, ...others] = spans;
    assert.deepEqual(
      [root!.name, root!.parentSpanId, root!.status, root!.attributes["http.status_code"]],
      ["GET /numbers/:id", "b7ad6b7169203331", "ok", 200],
    );
    assert.ok(others.length >= 3 && others.every(({ parentSpanId }) => parentSpanId === root!.spanId));
    const { traces } = await ok<{ traces: (Span & { traceId: string })[] }>(app, "/_debug/traces");
    const trace = traces.find((one) => one.traceId === traceId)!;
    assert.deepEqual(
      trace.children!.map(({ name }) => name),
      others.map(({ name }) => name),
    );
    const flat = await ok<{ spans: Span[] }>(app, "/_debug/spans?limit=3");
    assert.equal(flat.spans.length, 3);
  });

  test("counts latencies by route and over time", async () => {
    for (let count = 0; count < 5; count += 1) await sendRequest(app.port, "/search?page=1");
    const { count, failed, p50, p95, max, routes } = await ok(app, "/_debug/performance?route=/search");
    assert.deepEqual([count, failed, routes], [5, 0, undefined]);
    assert.ok(
      0 < Number(p50) && Number(p50) <= Number(p95) && Number(p95) <= Number(max),
      `${p50} ${p95} ${max}`,
    );
    const all = await ok<{ routes: Json[] }>(app, "/_debug/performance?window=1h");
    assert.ok(all.routes.some(({ route }) => route === "GET /search"));
    const { slices } = await ok<{ slices: Json[] }>(app, "/_debug/performance/series?route=GET%20/search");
    assert.equal(
      slices.reduce((sum, slice) => sum + Number(slice["count"]), 0),
      5,
    );
    const unknown = await get(app, "/_debug/performance?route=/serch");
    assert.equal(unknown.status, 404);
    assert.match(errorOf(unknown).message, /did you mean `\/search`/);
  });

  test("sends only new requests to a page that polls", async () => {
    const first = await ok<{ next: string; requests: Json[] }>(app, "/_debug/feed");
    await sendRequest(app.port, "/nowhere");
    const second = await ok<{ next: string; requests: Json[]; active: Json[]; skipped: number }>(
      app,
      `/_debug/feed?after=${first.next}`,
    );
    const [only, ...more] = second.requests;
    assert.deepEqual([only!["target"], only!["status"], only!["route"], more], ["/nowhere", 404, null, []]);
    assert.deepEqual([second.active, second.skipped], [[], 0]);
    const third = await ok<{ requests: Json[] }>(app, `/_debug/feed?after=${second.next}`);
    assert.deepEqual(third.requests, []);
  });

  test("shows a request that is in progress, until it ends", async () => {
    const endless = sendRequest(app.port, "/endless");
    const find = async (): Promise<Recorded | undefined> => {
      const { active } = await ok<{ active: Recorded[] }>(app, "/_debug/requests?limit=1");
      return active.find(({ route }) => route === "GET /endless");
    };
    let seen: Recorded | undefined;
    await until("the request is in progress", async () => (seen = await find()) !== undefined);
    assert.deepEqual([seen!.isActive, seen!.status, seen!.phase], [true, 0, "handler"]);
    assert.equal((await endless).status, 503);
    await until("the request has ended", async () => (await find()) === undefined);
    const { isActive, status, fault } = await last(app, "GET /endless");
    assert.deepEqual([isActive, status, fault!["code"]], [false, 503, "REQUEST_TIMEOUT"]);
  });

  test("describes the server, its health and the views of the dashboard", async () => {
    const server = await ok(app, "/_debug/server");
    assert.deepEqual([server["status"], server["port"], server["host"]], ["ok", app.port, "127.0.0.1"]);
    const health = await ok<Json & { memory: Json; requests: Json; process: Json; missed: Json }>(
      app,
      "/_debug/health",
    );
    assert.ok(Number(health.memory["rss"]) > 1_000_000 && Number(health["uptime"]) > 0);
    assert.ok(Number(health.requests["answered"]) > 0 && Number(health.process["cores"]) >= 1);
    assert.deepEqual(health.missed, { requests: 0, errors: 0 });
    const { mode, application, pollMs, absent } = await ok<Json & { absent: Json }>(app, "/_debug/dashboard");
    assert.equal(mode, "development");
    assert.equal((application as Json)["url"], `http://127.0.0.1:${app.port}`);
    assert.equal(pollMs, 1_000);
    assert.deepEqual(Object.keys(absent), isRust ? ["jobs"] : []);
  });

  test("lists the routes with their middleware", async () => {
    const { routes } = await ok<{ routes: Json[] }>(app, "/_debug/routes");
    const order = routes.find(({ ref }) => ref === "GET /order")!;
    assert.deepEqual(order["middleware"], ["global5", "group7", "global9"]);
    for (const path of ["GET/numbers/:id", "get/%2Fnumbers%2F:id"]) {
      const route = await ok(app, `/_debug/routes/${path}`);
      assert.deepEqual([route["ref"], route["status"]], ["GET /numbers/:id", 200]);
    }
    const unknown = await get(app, "/_debug/routes/GET/numbrs/:id");
    assert.match(errorOf(unknown).message, /did you mean `GET \/numbers\/:id`/);
  });

  test("refuses invalid queries, unknown paths, other methods, and pages of other sites", async () => {
    for (const [path, status, message] of [
      ["/_debug/errors?limt=3", 400, /did you mean `limit`/],
      ["/_debug/errors?limit=0", 400, /whole number from 1/],
      ["/_debug/errors?since=soon", 400, /must be a duration/],
      ["/_debug/logs?level=loud", 400, /must be one of trace, debug/],
      ["/_debug/performance?window=48h", 400, /at most 24h/],
      ["/_debug/requests/none", 404, /there is no request none/],
      ["/_debug/errrors", 404, /did you mean \/_debug\/errors/],
    ] as const) {
      const answer = await get(app, path);
      assert.equal(answer.status, status, path);
      assert.match(errorOf(answer).message, message);
    }
    const posted = await sendRequest(app.sidecarPort, "/_debug/health", { method: "POST" });
    assert.deepEqual([posted.status, posted.headers["allow"]], [405, "GET, HEAD"]);
    for (const headers of [
      { host: "attacker.example" },
      { host: "localhost", origin: "http://attacker.example" },
      { host: "localhost", "sec-fetch-site": "cross-site" },
      { host: "localhost", "x-forwarded-for": "127.0.0.1" },
    ]) {
      assert.equal((await get(app, "/_debug/health", headers)).status, 403, JSON.stringify(headers));
    }
  });

  test("sends a recorded request again, only for the page of the dashboard and without hidden values", async () => {
    const { replayToken } = await ok<{ replayToken: string }>(app, "/_debug/dashboard");
    const origin = `http://localhost:${app.sidecarPort}`;
    const own = {
      host: `localhost:${app.sidecarPort}`,
      origin,
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
      "x-debug-token": replayToken,
    };
    const replay = (question: object, headers: Readonly<Record<string, string>> = own): Promise<Answer> =>
      sendRequest(app.sidecarPort, "/_debug/replay", {
        method: "POST",
        headers,
        body: JSON.stringify(question),
      });
    await post(app, "/notes", { text: "once" });
    const { requestId } = await last(app, "POST /notes");
    const answer = await replay({ requestId });
    assert.equal(answer.status, 200, answer.text);
    const { status, body, bodyLength, isCut, traceId, requestId: again } = answer.body;
    assert.deepEqual([status, body, bodyLength, isCut], [201, '{"text":"once"}', 15, false]);
    const { request } = await ok<{ request: Recorded & { traceId: string } }>(
      app,
      `/_debug/requests/${String(again)}`,
    );
    assert.deepEqual([request.route, request.traceId], ["POST /notes", traceId]);

    // The body is sent as the application received it, and not as the dashboard shows it.
    const text = '{ "text": "once", "number": 1234567890123456789012 }';
    const type = { "content-type": "application/json" };
    await sendRequest(app.port, "/notes", { method: "POST", headers: type, body: text });
    const spaced = await last(app, "POST /notes");
    const { requestId: repeated } = (await replay({ requestId: spaced.requestId })).body;
    const lengths = await ok<{ request: Recorded }>(app, `/_debug/requests/${String(repeated)}`);
    assert.equal(lengths.request.received!.bodyLength, text.length);

    const changed = await replay({ requestId, body: '{"text":5}', target: "/notes?page=2" });
    assert.equal(changed.body["status"], 400, changed.text);
    assert.equal((await replay({ requestId, target: "http://attacker.example/" })).status, 400);
    assert.equal((await replay({ requestId: "none" })).status, 404);
    for (const [name, value, expected] of [
      ["x-debug-token", `${replayToken}x`, 403],
      ["origin", "http://attacker.example", 403],
      ["sec-fetch-site", "same-site", 403],
      ["content-type", "text/plain", 415],
    ] as const) {
      assert.equal((await replay({ requestId }, { ...own, [name]: value })).status, expected, name);
    }

    await post(
      app,
      "/notes?token=s3cr3t",
      { text: "x", password: "s3cr3t" },
      { authorization: "Bearer s3cr3t" },
    );
    const secret = await last(app, "POST /notes");
    const refused = await replay({ requestId: secret.requestId });
    assert.deepEqual([refused.status, errorOf(refused).code], [409, "REDACTED"]);
    assert.match(errorOf(refused).message, /the target.*authorization.*the body/);
  });

  test("sends the dashboard to browsers, and a list of its paths to programs", async () => {
    const browser = { accept: "text/html", "accept-encoding": "gzip" };
    const page = await get(app, "/", browser);
    assert.equal(page.status, 200, page.text);
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    assert.match(String(page.headers["content-security-policy"]), /default-src 'none'/);
    const again = await get(app, "/", { ...browser, "if-none-match": String(page.headers["etag"]) });
    assert.equal(again.status, 304);
    assert.equal((await get(app, "/assets/none.js")).status, 404);
    const { endpoints } = await ok<{ endpoints: { path: string }[] }>(app, "/");
    assert.ok(endpoints.some(({ path }) => path === "/_debug/requests/:requestId"));
  });
});

describe(`the sidecar of an application in production, ${isRust ? "rust" : "native"}`, () => {
  const key = { "x-debug-key": "key-of-the-test" };

  test("requires a key, and shows no content of requests and no source code", async () => {
    await using app = await start({ mode: "production", apiKey: key["x-debug-key"] });
    for (const headers of [{}, { "x-debug-key": "key-of-the-tes" }]) {
      const refused = await get(app, "/_debug/requests", headers);
      assert.deepEqual([refused.status, errorOf(refused).code], [401, "UNAUTHORIZED"]);
    }
    await post(app, "/notes", { text: "private" });
    const recorded = await last(app, "POST /notes", key);
    assert.deepEqual([recorded.status, recorded.received], [201, null]);
    const source = await get(app, "/_debug/source?file=src/main.rs", key);
    assert.deepEqual([source.status, errorOf(source).code], [403, "DEVELOPMENT_ONLY"]);
    const { mode, projectRoot, replayToken } = await ok(app, "/_debug/dashboard", key);
    assert.deepEqual([mode, projectRoot, replayToken], ["production", null, null]);
    // The files of the dashboard contain no data, so they need no key.
    const page = await get(app, "/", { accept: "text/html", "accept-encoding": "gzip" });
    assert.equal(page.status, 200);
  });

  test("hides the invalid values of hidden fields in validation failures", async () => {
    const redactFields = ["text"];
    await using app = await start({ mode: "production", apiKey: key["x-debug-key"], redactFields });
    assert.equal((await post(app, "/notes", { text: 1_234_567 })).status, 400);
    for (const path of ["/_debug/errors", "/_debug/requests", "/_debug/logs"])
      assert.doesNotMatch((await get(app, path, key)).text, /1234567/, path);
    assert.match((await get(app, "/_debug/errors", key)).text, /\[redacted\]/);
  });

  test("is a reason not to start the application if there is no key", async () => {
    await assert.rejects(start({ mode: "production" }));
  });

  test("limits the requests of each client", async () => {
    const rateLimit = { max: 2, windowMs: 60_000 };
    await using app = await start({ mode: "production", apiKey: key["x-debug-key"], rateLimit });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await get(app, "/_debug/server", key)).status);
    assert.deepEqual(statuses, [200, 200, 429]);
    const { headers } = await get(app, "/_debug/server", key);
    assert.ok(Number(headers["retry-after"]) >= 1);
  });

  test("refuses addresses that are not in the allowlist", async () => {
    await using app = await start({ mode: "dev", allowedIPs: ["10.0.0.0/8", "::1"] });
    const refused = await get(app, "/_debug/server");
    assert.equal(refused.status, 403);
    assert.match(errorOf(refused).message, /allowlist/);
  });

  test("keeps the last requests only", async () => {
    await using app = await start({ mode: "dev", keep: 3 });
    for (let number = 0; number < 5; number += 1) await sendRequest(app.port, `/numbers/${number}`);
    const { requests } = await ok<{ requests: Recorded[] }>(app, "/_debug/requests");
    assert.deepEqual(requests.map(({ target }) => target).slice(0, 3), [
      "/numbers/4",
      "/numbers/3",
      "/numbers/2",
    ]);
    if (isRust) assert.equal(requests.length, 3);
  });
});
