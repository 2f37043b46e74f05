// Tests that outgoing HTTP requests and SQL queries of middleware and handlers become child spans.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get as httpGet } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { CurrentSpan } from "../src/calls/current-span.ts";
import { withoutQuery } from "../src/calls/http.ts";
import { sqlWithoutValues } from "../src/calls/sql.ts";
import { type DebugOptions, debugPlugin } from "@kit/plugin-debug";
import { compiled, paramsOf, responseOf, route } from "../../core/test/support/compiled.ts";
import { serve, type Served, type TestRoute } from "../../core/test/support/serve.ts";
import { sendRequest, until } from "./support/sidecar.ts";

interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: string;
  readonly source?: string;
  readonly status: string;
  readonly endTime?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly children?: readonly Span[];
}

const done = responseOf("Done", { id: "string" });
let peer: ReturnType<typeof createServer>;
let url: string;
/** URL of a port on which no server listens. */
let closed: string;
before(async () => {
  peer = createServer((request, response) => {
    response.statusCode = request.url?.startsWith("/missing") === true ? 404 : 200;
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(peer, "listening");
  url = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  closed = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  other.close();
  await once(other, "close");
});
after(() => {
  peer.closeAllConnections();
  peer.close();
});

const byFetch = (path: string): Promise<unknown> => fetch(`${url}${path}`).then((answer) => answer.text());
const byHttp = async (path: string): Promise<void> => {
  const request = httpGet(`${url}${path}`, { agent: false });
  const [response] = (await once(request, "response")) as [NodeJS.ReadableStream];
  response.resume();
  await once(response, "end");
};
const routes: readonly TestRoute[] = [
  [
    route("GET /both/:id", { params: paramsOf("Id", { id: "string" }), response: done, middleware: ["who"] }),
    async ({ params }) => {
      const id = String(params["id"]);
      await sleep(1);
      await byFetch(`/fetched/${id}?key=secret-query`);
      await byHttp(`/requested/${id}?key=secret-query`);
      return { id };
    },
  ],
  [
    route("GET /broken", { response: done, middleware: ["who"] }),
    async () => {
      await byFetch("/missing");
      await fetch(closed).catch(() => undefined);
      return { id: "1" };
    },
  ],
  [
    route("GET /many", { response: done, middleware: ["who"] }),
    async () => {
      for (let count = 0; count < 120; count += 1) await byFetch("/");
      return { id: "1" };
    },
  ],
  [
    route("GET /rare/:id", { params: paramsOf("Id", { id: "string" }), response: done, middleware: ["who"] }),
    async ({ params }) => {
      if (params["id"] === "calls") await byFetch("/rare");
      return { id: "1" };
    },
  ],
];
const middleware = [
  {
    name: "who",
    middleware: async ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) => {
      if (headers["x-who"] !== undefined) await byFetch("/who");
    },
    priority: 1,
  },
];

interface Watched extends Served {
  traces(): Promise<Span[]>;
  close(): Promise<void>;
}

async function start(options: DebugOptions): Promise<Watched> {
  const plugin = debugPlugin({ port: 0, ...options });
  const served = await serve(routes, {
    compiled: compiled(...routes.map(([made]) => made)),
    middleware,
    plugins: [plugin],
  });
  await until("the sidecar listens", () => plugin.address !== null);
  const headers = { "x-debug-key": "key" };
  return {
    ...served,
    traces: async () =>
      (await sendRequest(plugin.address!.port, "/_debug/traces", { headers })).body["traces"] as Span[],
    close: async () => plugin.onStop?.(),
  };
}

const production: DebugOptions = { mode: "production", apiKey: "key" };
const handlerOf = (trace: Span): Span => trace.children!.find(({ name }) => name === "handler")!;

describe("outgoing calls of a request", () => {
  let app: Watched;
  before(async () => {
    app = await start({ mode: "dev" });
  });
  after(() => app.close());

  it("calls by fetch and node:http are children of the middleware or handler that made them, even if many requests run at once", async () => {
    const ids = Array.from({ length: 20 }, (_, index) => String(index));
    await Promise.all(ids.map((id) => app.send(`GET /both/${id}`, { headers: { "x-who": "ada" } })));
    const traces = await app.traces();
    const fetchedIds = new Set<string>();
    for (const trace of traces) {
      const [fetched, requested] = handlerOf(trace).children!;
      const [, id] = /fetched\/(\d+)$/.exec(String(fetched!.attributes["url.full"]))!;
      fetchedIds.add(id!);
      const host = url.slice("http://".length);
      assert.deepEqual(
        [fetched!.name, fetched!.kind, fetched!.source, fetched!.status, fetched!.attributes],
        [
          `GET ${host}`,
          "client",
          "undici",
          "ok",
          {
            "http.request.method": "GET",
            "url.full": `${url}/fetched/${id}`,
            "http.response.status_code": 200,
          },
        ],
      );
      assert.equal(requested!.source, "http");
      assert.equal(requested!.attributes["url.full"], `${url}/requested/${id}`);
      assert.equal(requested!.attributes["http.response.status_code"], 200);
      assert.ok(fetched!.endTime !== undefined && requested!.endTime !== undefined);
      const who = trace.children!.find(({ name }) => name === "middleware:who")!;
      assert.equal(who.children![0]!.attributes["url.full"], `${url}/who`);
    }
    assert.equal(fetchedIds.size, 20);
    assert.doesNotMatch(JSON.stringify(traces), /secret-/);
  });

  it("have an error as an attribute if they fail", async () => {
    await app.send("GET /broken");
    const [missing, refused] = handlerOf((await app.traces())[0]!).children!;
    assert.deepEqual([missing!.attributes["http.response.status_code"], missing!.status], [404, "ok"]);
    assert.equal(refused!.status, "error");
    assert.match(String(refused!.attributes["error.message"]), /ECONNREFUSED/);
    assert.equal(refused!.attributes["url.full"], closed);
  });

  it("are recorded up to 100 per handler, and the others are only counted", async () => {
    await app.send("GET /many");
    const [trace] = await app.traces();
    assert.equal(handlerOf(trace!).children!.length, 100);
    assert.equal(trace!.attributes["kit.calls.left_out"], 20);
  });

  it("belong to no request if no request caused them", async () => {
    await byFetch("/background");
    assert.doesNotMatch(JSON.stringify(await app.traces()), /background/);
    const current = new CurrentSpan(() => {});
    assert.equal(current.ofCall(), undefined);
  });
});

it("in production, the sidecar records a route's outgoing calls again after a request of the route has made a call", async () => {
  const app = await start(production);
  for (let count = 0; count < 40; count += 1) await app.send("GET /rare/none");
  // The sidecar does not expect this call of the route, so it is not recorded. Calls of the route's next requests are
  // recorded.
  await app.send("GET /rare/calls");
  await app.send("GET /rare/calls");
  const [second] = await app.traces();
  assert.equal(handlerOf(second!).children!.length, 1);
  await app.close();
});

it("no calls are recorded after the application has stopped", async () => {
  const { hasSubscribers } = await import("node:diagnostics_channel");
  const app = await start(production);
  assert.ok(hasSubscribers("undici:request:create"));
  await app.close();
  assert.ok(!hasSubscribers("undici:request:create"));
});

describe("recorded attributes of a call", () => {
  it("contain SQL statements without their literal values", () => {
    const cases: [text: string, expected: string][] = [
      ["select * from t where a = $1", "select * from t where a = $1"],
      ["select 'it''s', \"a'b\", e'c\\'d', $$x'y$$, $q$ z $q$ from t1", 'select ?, "a\'b", ?, ?, ? from t1'],
      ["insert into t\n  values (42, -1.5e3, 0xff, X'ff', U&'a')", "insert into t values (?, -?, ?, ?, ?)"],
      ["select 1 -- 'secret\n, 2 /* 'more' */", "select ? , ?"],
      ["select 'never ends", "select ?"],
      ["select $tag$ never ends", "select ?"],
    ];
    for (const [text, expected] of cases) assert.equal(sqlWithoutValues(text), expected);
    assert.equal(sqlWithoutValues(`select ${"a, ".repeat(5_000)}`).length, 2_049);
    const begun = performance.now();
    for (const piece of ["'", "$a$", "/*", '"', "e'\\", "-- "]) sqlWithoutValues(piece.repeat(4_000));
    assert.ok(performance.now() - begun < 1_000);
  });

  it("contain URLs without query, user name and password", () => {
    assert.equal(withoutQuery("https://a:b@c.example/d?e=f#g"), "https://c.example/d");
    assert.equal(withoutQuery("/path?x"), "/path");
  });
});
