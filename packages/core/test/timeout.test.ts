import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it, mock } from "node:test";

import { type AppOptions, createApp, type LogEntry, type RequestContext } from "@kit/core";
import { compiled, paramsOf, responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { errorOf, serve } from "./support/serve.ts";

const thing = route("GET /things/:id", {
  params: paramsOf("ThingId", { id: "string" }),
  response: responseOf("Thing", { id: "string" }),
});

describe("a request that exceeds its timeout", () => {
  it("receives one 503 response, and its signal is aborted", async () => {
    let context: RequestContext | undefined;
    const { promise: end, resolve: finish } = Promise.withResolvers<{ id: string }>();
    const { send, log } = await serve(
      [
        [
          thing,
          ({ ctx }) => {
            context = ctx;
            ctx.header("x-before", "1");
            assert.equal(ctx.signal.aborted, false);
            return end;
          },
        ],
      ],
      { requestTimeoutMs: 40, logLevel: "info" },
    );
    const start = performance.now();
    const answer = await send("GET /things/1");
    const took = performance.now() - start;
    assert.ok(took >= 39, `it was answered after ${took} ms`);
    assert.equal(answer.status, 503);
    assert.deepEqual(answer.headers, ["x-before", "1"]);
    assert.equal(errorOf(answer)["code"], "REQUEST_TIMEOUT");
    assert.equal(errorOf(answer)["message"], "The request took longer than 40 ms");
    assert.ok(context!.signal.aborted);
    assert.match(String(context!.signal.reason), /longer than 40 ms/);
    assert.deepEqual(messages(log), ["error The request took longer than 40 ms"]);
    // The memory server fails the test if there is a second response.
    finish({ id: "late" });
    await sleep(1);
    assert.deepEqual(messages(log).slice(1), [
      "warn A handler or middleware ended after the response was sent; its result is discarded",
    ]);
    assert.equal(log[1]!.traceId, log[0]!.traceId);
  });

  it("does not reach its handler if a middleware was too slow", async () => {
    let ran = false;
    const handler = (): { id: string } => {
      ran = true;
      return { id: "1" };
    };
    const { send } = await serve([[{ ...thing, middleware: ["slow"] }, handler]], {
      requestTimeoutMs: 20,
      middleware: [{ name: "slow", priority: 1, middleware: () => sleep(80) as unknown as Promise<void> }],
    });
    assert.equal((await send("GET /things/1")).status, 503);
    await sleep(90);
    assert.equal(ran, false);
  });

  it("has an aborted signal for code that runs late, and the resulting failure is logged once", async () => {
    const answered = Promise.withResolvers<void>();
    const { promise: over, resolve } = Promise.withResolvers<boolean>();
    const handler = async ({ ctx }: { ctx: RequestContext }): Promise<{ id: string }> => {
      await answered.promise;
      resolve(ctx.signal.aborted);
      ctx.signal.throwIfAborted();
      return { id: "never" };
    };
    const { send, log } = await serve([[thing, handler]], { requestTimeoutMs: 20, logLevel: "info" });
    assert.equal((await send("GET /things/1")).status, 503);
    answered.resolve();
    assert.equal(await over, true);
    await sleep(1);
    assert.deepEqual(messages(log), [
      "error The request took longer than 20 ms",
      "warn A handler or middleware failed after the response was sent; its result is discarded",
    ]);
    assert.equal(log[1]!.data, undefined);
  });

  it("receives 503 in the order of arrival, and other requests are not affected", async () => {
    const ended: string[] = [];
    const { send } = await serve(
      [[thing, ({ params }) => sleep(Number(params["id"])).then(() => ({ id: "done" }))]],
      { requestTimeoutMs: 60 },
    );
    const sendRequest = async (ms: number): Promise<void> => {
      const { status } = await send(`GET /things/${ms}`);
      ended.push(`${ms} ${status}`);
    };
    const first = [sendRequest(500), sendRequest(20), sendRequest(501), sendRequest(5)];
    await sleep(30);
    await Promise.all([...first, sendRequest(502), sendRequest(10)]);
    assert.deepEqual(ended, ["5 200", "20 200", "10 200", "500 503", "501 503", "502 503"]);
  });

  it("starts no timer if the timeout is 0 or its handler does not wait", async () => {
    const setInterval = mock.method(globalThis, "setInterval");
    try {
      const { send } = await serve([[thing, () => sleep(30).then(() => ({ id: "1" }))]], {
        requestTimeoutMs: 0,
      });
      assert.equal((await send("GET /things/1")).status, 200);
      const quick = await serve([[thing, () => ({ id: "1" })]], { requestTimeoutMs: 5 });
      assert.equal((await quick.send("GET /things/1")).status, 200);
      assert.equal(setInterval.mock.callCount(), 0);
    } finally {
      setInterval.mock.restore();
    }
  });

  it("createApp refuses a timeout that is not a whole number of milliseconds", () => {
    for (const requestTimeoutMs of [-1, 0.5, Number.NaN, 2 ** 31, "5"]) {
      assert.throws(
        () => createApp({ server: new MemoryServer(), routes: [], requestTimeoutMs } as AppOptions),
        /`requestTimeoutMs` must be a whole number of milliseconds/,
      );
    }
  });
});

describe("close", () => {
  it("sends 503 to requests that are open at the end of the grace period, and aborts their signals", async () => {
    const server = new MemoryServer();
    const aborted: string[] = [];
    const handlers = {
      "GET /things/:id": ({ ctx }: { ctx: RequestContext }) =>
        new Promise((resolve) => {
          ctx.signal.addEventListener("abort", () => {
            aborted.push(String(ctx.signal.reason));
            resolve({ id: "too late" });
          });
        }),
    };
    const app = createApp({
      server,
      signals: false,
      logging: { level: "fatal" },
      compiled: compiled(thing),
      routes: [{ handlers }],
    } as AppOptions);
    await app.listen({ port: 1 });
    const answers = [server.send("GET /things/1"), server.send("GET /things/2")];
    // Simulates a server that closes its connections at exactly that time.
    server.closesAfter = sleep(20);
    const start = performance.now();
    await app.close({ graceMs: 20 });
    assert.ok(performance.now() - start < 2000);
    for (const answer of await Promise.all(answers)) {
      assert.equal(answer.status, 503);
      assert.equal(errorOf(answer)["code"], "SERVICE_UNAVAILABLE");
    }
    assert.equal(aborted.length, 2);
  });

  it("refuses an invalid grace period, and can be called again afterwards", async () => {
    const server = new MemoryServer();
    const app = createApp({ server, signals: false, compiled: compiled(), routes: [] });
    await app.listen({ port: 1 });
    await assert.rejects(app.close({ graceMs: -1 }), /`graceMs` must be a whole number/);
    await app.close({ graceMs: 5 });
    assert.deepEqual(server.calls, ["listen 1", "close 5"]);
  });
});

describe("responses that cannot be serialized, in production", () => {
  it("result in 500, and are logged once a minute with their number", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const { send, log } = await serve([[thing, () => null]], { logLevel: "info" });
    for (let index = 0; index < 3; index += 1) assert.equal((await send("GET /things/1")).status, 500);
    assert.deepEqual(messages(log), ["error $: null has no JSON form"]);
    assert.ok(log[0]!.requestId);
    test.mock.timers.tick(60_000);
    assert.deepEqual(messages(log).slice(1), [more(2)]);
    assert.equal(log[1]!.route, "GET /things/:id");
    assert.equal((await send("GET /things/1")).status, 500);
    test.mock.timers.tick(60_000);
    assert.deepEqual(messages(log).slice(2), [more(1)]);
    test.mock.timers.tick(120_000);
    await send("GET /things/1");
    assert.deepEqual(messages(log).slice(3), ["error $: null has no JSON form"]);
  });
});

function messages(log: readonly LogEntry[]): string[] {
  return log.map(({ level, message }) => `${level} ${message}`);
}

function more(count: number): string {
  return `error ${count} more responses of GET /things/:id did not fit their contract and were answered with 500`;
}
