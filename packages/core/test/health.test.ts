import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";

import { type AppOptions, createApp, type LifecycleTrace } from "@kit/core";
import type { ListenAddress } from "@kit/types";
import { compiled, paramsOf, responseOf, route } from "./support/compiled.ts";
import { MemoryServer, send } from "./support/memory-server.ts";
import { errorOf, serve } from "./support/serve.ts";

const page = route("GET /:page", {
  params: paramsOf("Page", { page: "string" }),
  response: responseOf("Text", { text: "string" }),
});
const own = route("GET /readyz", { response: responseOf("Text", { text: "string" }) });
const routes = [[page, () => ({ text: "a page" })]] as const;

const ok = {
  status: 200,
  contentType: "application/json",
  text: '{"status":"ok"}',
  headers: ["cache-control", "no-store"],
};

describe("the health paths", () => {
  it("are not served by default", async () => {
    const { send: request } = await serve(routes);
    assert.equal((await request("GET /healthz")).text, '{"text":"a page"}');
  });

  it("take precedence over path parameters, and their requests are neither logged nor traced", async () => {
    const traces: LifecycleTrace[] = [];
    const { send: request, log } = await serve(routes, {
      health: true,
      logLevel: "trace",
      plugins: [{ name: "t", onLifecycle: (trace) => void traces.push(trace) }],
    });
    for (const line of ["GET /healthz", "GET /readyz", "HEAD /readyz", "GET /healthz/?probe=1"]) {
      assert.deepEqual(await request(line), ok, line);
    }
    assert.deepEqual([log.length, traces.length], [0, 0]);
    const refused = await request("POST /healthz");
    assert.equal(refused.status, 405);
    assert.deepEqual(refused.headers, ["allow", "GET, HEAD"]);
    assert.equal((await request("GET /healthzz")).text, '{"text":"a page"}');
  });

  it("can be configured, and do not replace a route with the same path", async () => {
    const mine = [[own, () => ({ text: "mine" })]] as const;
    const { send: request } = await serve(mine, { health: true });
    assert.equal((await request("GET /readyz")).text, '{"text":"mine"}');
    assert.deepEqual(await request("GET /healthz"), ok);
    const other = await serve(mine, { health: { live: "/-/live", ready: "/-/ready" } });
    assert.deepEqual(await other.send("GET /-/ready"), ok);
    assert.equal(errorOf(await other.send("GET /healthz"))["code"], "NOT_FOUND");
  });

  it("report readiness from onReady until the application closes, and liveness all the time", async () => {
    const server = new MemoryServer();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const app = createApp({
      server,
      signals: false,
      health: true,
      compiled: compiled(),
      routes: [],
      plugins: [{ name: "slow", onReady: () => gate }],
    });
    const service = await app.service();
    const states = async (): Promise<string> =>
      `${(await send(service, "GET /healthz")).status} ${(await send(service, "GET /readyz")).status}`;
    const listening = app.listen({ port: 1 });
    await sleep(1);
    assert.equal(await states(), "200 503");
    open();
    await listening;
    assert.equal(await states(), "200 200");
    server.closesAfter = sleep(20);
    const closing = app.close();
    assert.equal(await states(), "200 503");
    await closing;
    assert.equal(await states(), "200 503");
  });

  it("report 503 at /readyz during the shutdown delay, while the application still serves", async () => {
    for (const [option, delayMs, waits] of [
      [300, undefined, 300],
      [300, 100, 100],
      [300, 0, 0],
      [undefined, undefined, 0],
    ] as const) {
      const server = new MemoryServer();
      const app = createApp({
        server,
        signals: false,
        health: true,
        compiled: compiled(),
        routes: [],
        ...(option !== undefined && { shutdownDelayMs: option }),
      });
      await app.listen({ port: 1 });
      const start = performance.now();
      const closing = app.close(delayMs === undefined ? {} : { delayMs });
      assert.equal((await server.send("GET /readyz")).status, 503);
      if (waits > 0) {
        await sleep(waits / 2);
        assert.equal((await server.send("GET /healthz")).status, 200, "it serves as long as it was told to");
        assert.deepEqual(server.calls, ["listen 1"]);
      }
      await closing;
      assert.ok(performance.now() - start >= waits - 5);
      assert.deepEqual(server.calls, ["listen 1", "close 30000"]);
    }
  });

  it("let a request take as long after the shutdown began as before, unless `shutdownGraceMs` says otherwise", async () => {
    const cases = [
      [{}, undefined, 30_000],
      [{}, 90_000, 90_000],
      [{ requestTimeoutMs: 45_000 }, 5_000, 45_000],
      [{ requestTimeoutMs: 0 }, undefined, 10_000],
      [{ requestTimeoutMs: 2_000 }, undefined, 10_000],
      [{ shutdownGraceMs: 3_000 }, 90_000, 3_000],
    ] as const;
    for (const [hasWorkers, [options, routeMs, expected]] of [
      ...cases.map((one) => [false, one] as const),
      ...cases.map((one) => [true, one] as const),
    ]) {
      const server = new MemoryServer();
      // The primary process of workers prepares no routes, and tells the workers how long they may take.
      const address = { port: 1, host: "localhost", url: "http://localhost:1" };
      const supervise = (): Promise<ListenAddress> => Promise.resolve(address);
      const app = createApp({
        server: hasWorkers ? Object.assign(server, { supervise }) : server,
        signals: false,
        ...options,
        compiled: compiled(page),
        routes: [
          {
            handlers: { "GET /:page": () => ({ text: "a page" }) },
            on: routeMs === undefined ? {} : { "GET /:page": { requestTimeoutMs: routeMs } },
          },
        ],
      });
      await app.listen({ port: 1 });
      await app.close();
      assert.equal(server.calls.at(-1), `close ${expected}`);
    }
    assert.throws(
      () => createApp({ server: new MemoryServer(), compiled: compiled(), routes: [], shutdownGraceMs: -1 }),
      /`shutdownGraceMs` must be/,
    );
  });

  it("run the checks once for concurrent requests, and log changes of their results", async () => {
    let isDown = true;
    let checkCount = 0;
    const { send: request, log } = await serve(routes, {
      logLevel: "info",
      health: {
        checks: {
          queue: () => true,
          database: async () => {
            checkCount += 1;
            await sleep(5);
            if (isDown) throw new Error("password wrong for admin");
          },
        },
      },
    });
    const [one, two] = await Promise.all([request("GET /readyz"), request("GET /readyz")]);
    assert.equal(checkCount, 1);
    assert.equal(one!.status, 503);
    assert.equal(one!.text, '{"status":"unavailable","checks":{"queue":"ok","database":"failed"}}');
    assert.equal(two!.text, one!.text);
    assert.equal((await request("GET /readyz")).status, 503);
    assert.equal((await request("GET /healthz")).status, 200);
    isDown = false;
    assert.equal(
      (await request("GET /readyz")).text,
      '{"status":"ok","checks":{"queue":"ok","database":"ok"}}',
    );
    assert.deepEqual(
      log.map(({ message }) => message),
      ["The health check database failed", "The health check database succeeded again"],
    );
  });

  it("report a failed check if it returns false or takes longer than five seconds", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const { send: request, log } = await serve(routes, {
      logLevel: "info",
      health: { checks: { no: () => false, never: () => new Promise(() => undefined) } },
    });
    const answer = request("GET /readyz");
    test.mock.timers.tick(5_000);
    assert.equal((await answer).text, '{"status":"unavailable","checks":{"no":"failed","never":"failed"}}');
    assert.match(JSON.stringify(log), /The check returned false.*The check took longer than 5000 ms/);
  });

  it("cause an error of createApp if the option health is invalid", () => {
    const bad: [unknown, RegExp][] = [
      ["yes", /`health` must be true, false or an object/],
      [{ alive: "/x" }, /no option `health\.alive`/],
      [{ live: "healthz" }, /`health\.live` must be a path/],
      [{ ready: "/ready/:id" }, /`health\.ready` must be a path/],
      [{ ready: "/healthz" }, /must be two different paths/],
      [{ checks: [] }, /`health\.checks` must be an object/],
      [{ checks: { db: true } }, /`health\.checks\.db` must be a function/],
    ];
    for (const [health, message] of bad) {
      const options = { server: new MemoryServer(), routes: [], health };
      assert.throws(() => createApp(options as unknown as AppOptions), message);
    }
  });
});
