import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AppOptions, createApp, type MiddlewareEntry, type RouteGroup } from "@kit/core";
import { compiled, responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { quietStdout } from "./support/quiet-stdout.ts";
import { errorOf } from "./support/serve.ts";

quietStdout();

const order = responseOf("Order", { id: "string?" });

function entry(name: string, ran: string[], priority = 0): MiddlewareEntry {
  return { name, priority, middleware: () => void ran.push(name) };
}

/** Starts an application whose build has the given routes, with their chains. */
async function serve(
  routes: Readonly<Record<string, readonly string[]>>,
  groups: readonly RouteGroup[],
  options: Partial<AppOptions> = {},
): Promise<MemoryServer> {
  const server = new MemoryServer();
  const built = Object.entries(routes).map(([ref, middleware]) =>
    route(ref, { response: order, middleware }),
  );
  const app = createApp({
    env: "production",
    signals: false,
    logging: { level: "fatal" },
    ...options,
    server,
    compiled: compiled(...built),
    routes: groups,
  } as AppOptions);
  await app.listen({ port: 0 });
  return server;
}

function create(group: unknown): unknown {
  return createApp({ server: new MemoryServer(), routes: [group] } as AppOptions);
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

describe("a group of groups", () => {
  it("adds the inner group's prefix to the path first, then the outer group's prefix", async () => {
    const handlers = { "GET /notes/:id": () => ({}), "GET /": () => ({ id: "list" }) };
    const server = await serve({ "GET /v1/notes/:id": [], "GET /v1/notes": [], "GET /v1/health": [] }, [
      {
        prefix: "/v1",
        handlers: { "GET /health": () => ({ id: "health" }) },
        routes: [{ prefix: "/notes", handlers }],
      },
    ]);
    assert.equal((await server.send("GET /v1/notes/1")).status, 200);
    assert.equal((await server.send("GET /v1/notes")).text, '{"id":"list"}');
    assert.equal((await server.send("GET /v1/health")).text, '{"id":"health"}');
    assert.equal((await server.send("GET /notes/1")).status, 404);
  });

  it("runs middleware by priority, then in the order global, outer group, inner group, route", async () => {
    const ran: string[] = [];
    const server = await serve(
      {
        "GET /a": ["early", "global", "outer", "inner", "own", "late"],
        "GET /b": ["early", "global", "outer", "inner"],
      },
      [
        {
          middleware: [entry("outer", ran)],
          routes: [
            {
              middleware: [entry("inner", ran)],
              handlers: { "GET /a": () => ({}), "GET /b": () => ({}) },
              on: { "GET /a": { middleware: [entry("late", ran, 5), entry("own", ran)] } },
            },
          ],
        },
      ],
      { middleware: [entry("global", ran), entry("early", ran, -1)] },
    );
    await server.send("GET /a");
    assert.deepEqual(ran.splice(0), ["early", "global", "outer", "inner", "own", "late"]);
    await server.send("GET /b");
    assert.deepEqual(ran, ["early", "global", "outer", "inner"]);
  });

  it("throws an error with the location of the mistake if an inner group is invalid", () => {
    const handlers = { "GET /a": () => ({}) };
    assert.throws(
      () => create({}),
      /routes\[0\]\.handlers must be an object; a group has `handlers`, `routes`/,
    );
    assert.throws(() => create({ routes: [{ handler: {} }] }), /routes\[0\]\.routes\[0\] has no `handler`/);
    assert.throws(() => create({ routes: {} }), /routes\[0\]\.routes must be a list of groups/);
    assert.throws(() => create({ routes: [], on: {} }), /routes\[0\]\.on requires `handlers`/);
    assert.throws(
      () => create({ handlers, on: { "GET /b": {} } }),
      /routes\[0\]\.on: "GET \/b" is not a key of the group's handlers; did you mean `GET \/a`/,
    );
    const on = (options: unknown): unknown => create({ handlers, on: { "GET /a": options } });
    assert.throws(() => on({ timeout: 1 }), /routes\[0\]\.on\["GET \/a"\] has no `timeout`/);
    assert.throws(() => on({ requestTimeoutMs: -1 }), /requestTimeoutMs must be a whole number/);
    assert.throws(
      () => on({ limits: { bodyBytes: 1.5 } }),
      /limits\.bodyBytes must be a whole number of bytes/,
    );
    assert.throws(() => on({ limits: { bytes: 1 } }), /limits has no `bytes`/);
    assert.throws(() => on({ middleware: [1] }), /on\["GET \/a"\]\.middleware\[0\]/);
    assert.throws(() => create({ routes: [{ handlers }, { handlers }] }), /GET \/a is registered twice/);
  });
});

describe("options of a route", () => {
  it("set the route's body limit below or above the application's limit", async () => {
    const handlers = { "POST /small": () => ({}), "POST /large": () => ({}), "POST /other/:id": () => ({}) };
    const server = await serve(
      { "POST /small": [], "POST /large": [], "POST /other/:id": [] },
      [
        {
          handlers,
          on: { "POST /small": { limits: { bodyBytes: 2 } }, "POST /large": { limits: { bodyBytes: 20 } } },
        },
      ],
      { limits: { bodyBytes: 10 } },
    );
    const status = async (path: string, bytes: number): Promise<number> =>
      (await server.send(`POST ${path}`, { body: "x".repeat(bytes) })).status;
    assert.deepEqual(
      [
        await status("/small", 2),
        await status("/small", 3),
        await status("/large", 20),
        await status("/large", 21),
        await status("/other/1", 10),
        await status("/other/1", 11),
        await status("/unknown", 11),
      ],
      [201, 413, 201, 413, 201, 413, 413],
    );
    const answer = await server.send("POST /large?a=1", { body: "x".repeat(21) });
    assert.deepEqual(errorOf(answer)["details"], { limit: 20 });
  });

  it("add no limits to the service if no route has its own limit", async () => {
    const groups = [
      { handlers: { "POST /a": () => ({}) }, on: { "POST /a": { limits: { bodyBytes: 10 } } } },
    ];
    const equal = await serve({ "POST /a": [] }, groups, { limits: { bodyBytes: 10 } });
    assert.equal(equal.service!.bodyLimits, undefined);
    const different = await serve({ "POST /a": [] }, groups);
    assert.deepEqual(different.service!.bodyLimits!.byRoute, [10]);
  });

  it("set the route's timeout, and other routes keep the application's timeout", async () => {
    const handlers = { "GET /fast": never, "GET /slow": never };
    const server = await serve(
      { "GET /fast": [], "GET /slow": [] },
      [{ handlers, on: { "GET /fast": { requestTimeoutMs: 20 } } }],
      { requestTimeoutMs: 150 },
    );
    const start = performance.now();
    const slow = server.send("GET /slow").then((answer) => ({ answer, took: performance.now() - start }));
    const fast = await server.send("GET /fast");
    const tookFast = performance.now() - start;
    assert.equal(errorOf(fast)["message"], "The request took longer than 20 ms");
    const { answer, took } = await slow;
    assert.equal(errorOf(answer)["message"], "The request took longer than 150 ms");
    assert.ok(tookFast < took, `${tookFast} ms and ${took} ms`);
  });

  it("may switch the timeout off, and the application still closes at the end of the grace period", async () => {
    const server = new MemoryServer();
    const app = createApp({
      env: "production",
      signals: false,
      logging: { level: "fatal" },
      requestTimeoutMs: 20,
      server,
      compiled: compiled(route("GET /never", { response: order })),
      routes: [
        {
          handlers: { "GET /never": never },
          on: { "GET /never": { requestTimeoutMs: 0 } },
        },
      ],
    } as AppOptions);
    await app.listen({ port: 0 });
    const answer = server.send("GET /never");
    const first = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 60, "waiting"))]);
    assert.equal(first, "waiting");
    await app.close({ graceMs: 10 });
    assert.equal(errorOf(await answer)["code"], "SERVICE_UNAVAILABLE");
  });
});
