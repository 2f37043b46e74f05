import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AppOptions, createApp, defineMiddleware, defineWrapper } from "@kit/core";
import type { Auth, CompiledScopes } from "@kit/types";
import { compiled, responseOf, route } from "./support/compiled.ts";
import { type MemoryResponse, MemoryServer } from "./support/memory-server.ts";
import { quietStdout } from "./support/quiet-stdout.ts";
import { errorOf } from "./support/serve.ts";

quietStdout();

const writes: CompiledScopes = { anyOf: [["orders:write"]], isBearer: true };

/** Takes the scopes of the caller from the header `x-scopes`. Without the header, adds no `ctx.auth`. */
const authenticate = defineMiddleware<{ auth?: Auth<string> }>(({ headers }) => {
  const scopes = headers["x-scopes"]?.split(" ");
  return scopes === undefined ? {} : { auth: { has: (scope) => scopes.includes(scope) } };
});

/** Returns the header `www-authenticate` of a response. */
function challengeOf({ headers }: MemoryResponse): string | undefined {
  const index = headers.indexOf("www-authenticate");
  return index === -1 ? undefined : headers[index + 1];
}

/** Serves one route with required scopes. Returns the server, and the number of calls of the handler. */
async function serve(
  scopes: CompiledScopes,
  options: { middleware?: unknown; wrapped?: boolean; priority?: number } = {},
): Promise<{ server: MemoryServer; calls: () => number; wrapperCalls: () => number }> {
  const server = new MemoryServer();
  let calls = 0;
  let wrapperCalls = 0;
  const wrapper = defineWrapper((_input, next) => {
    wrapperCalls += 1;
    return next();
  });
  const handlers = {
    "POST /orders": () => {
      calls += 1;
      return { id: "1" };
    },
  };
  const middleware = [
    { name: "authenticate", middleware: options.middleware ?? authenticate, priority: 0 },
    ...(options.wrapped === true
      ? [{ name: "timed", middleware: wrapper, priority: options.priority ?? 1 }]
      : []),
  ].toSorted((first, second) => first.priority - second.priority);
  const built = route("POST /orders", {
    response: responseOf("Order", { id: "string" }),
    middleware: middleware.map(({ name }) => name),
    scopes,
    ...(options.wrapped === true ? { wrappers: { timed: {} } } : {}),
  });
  const app = createApp({
    server,
    compiled: compiled(built),
    env: "production",
    signals: false,
    logging: { level: "fatal" },
    routes: [{ handlers, middleware }],
  } as unknown as AppOptions);
  await app.listen({ port: 0 });
  return { server, calls: () => calls, wrapperCalls: () => wrapperCalls };
}

describe("a contract with scopes", () => {
  for (const wrapped of [false, true]) {
    const kind = wrapped ? "with a wrapper" : "without wrappers";

    it(`calls the handler if the caller has the scope, ${kind}`, async () => {
      const { server, calls } = await serve(writes, { wrapped });
      const answer = await server.send("POST /orders", {
        headers: { "x-scopes": "orders:read orders:write" },
      });
      assert.equal(answer.status, 201);
      assert.equal(calls(), 1);
    });

    it(`answers 403 with a challenge if the caller lacks the scope, ${kind}`, async () => {
      const { server, calls } = await serve(writes, { wrapped });
      const answer = await server.send("POST /orders", { headers: { "x-scopes": "orders:read" } });
      assert.equal(answer.status, 403);
      assert.equal(errorOf(answer)["code"], "INSUFFICIENT_SCOPE");
      assert.equal(errorOf(answer)["message"], "The caller needs the scope orders:write");
      assert.deepEqual(errorOf(answer)["details"], { missingScopes: [["orders:write"]] });
      const challenge = 'Bearer error="insufficient_scope", scope="orders:write"';
      assert.equal(challengeOf(answer), challenge);
      assert.equal(calls(), 0);
    });

    it(`answers 401 if no middleware added the caller, ${kind}`, async () => {
      const { server, calls } = await serve(writes, { wrapped });
      const answer = await server.send("POST /orders");
      assert.equal(answer.status, 401);
      assert.equal(errorOf(answer)["code"], "UNAUTHORIZED");
      assert.equal(challengeOf(answer), "Bearer");
      assert.equal(calls(), 0);
    });
  }

  it("does not run a wrapper before which the scopes are checked for a caller without the scope", async () => {
    const { server, calls, wrapperCalls } = await serve({ ...writes, before: "timed" }, { wrapped: true });
    const statusOf = async (headers?: Record<string, string>): Promise<number> =>
      (await server.send("POST /orders", headers && { headers })).status;
    assert.equal(await statusOf({ "x-scopes": "orders:read" }), 403);
    assert.equal(await statusOf(), 401);
    assert.equal(wrapperCalls(), 0);
    assert.equal(await statusOf({ "x-scopes": "orders:write" }), 201);
    assert.deepEqual([wrapperCalls(), calls()], [1, 1]);
  });

  it("runs a wrapper around the authentication for a caller without the scope", async () => {
    const { server, calls, wrapperCalls } = await serve(writes, { wrapped: true, priority: -1 });
    const refused = await server.send("POST /orders", { headers: { "x-scopes": "orders:read" } });
    assert.equal(refused.status, 403);
    assert.deepEqual([wrapperCalls(), calls()], [1, 0]);
  });

  it("accepts a caller with all scopes of one of several lists", async () => {
    const { server } = await serve({ anyOf: [["a", "b"], ["admin"]], isBearer: false });
    const statusOf = async (scopes: string): Promise<number> =>
      (await server.send("POST /orders", { headers: { "x-scopes": scopes } })).status;
    assert.equal(await statusOf("a b"), 201);
    assert.equal(await statusOf("admin"), 201);
    assert.equal(await statusOf("a"), 403);
    const refused = await server.send("POST /orders", { headers: { "x-scopes": "b" } });
    assert.equal(errorOf(refused)["message"], "The caller needs the scopes a and b, or the scope admin");
    assert.deepEqual(errorOf(refused)["details"], { missingScopes: [["a"], ["admin"]] });
    assert.equal(challengeOf(refused), undefined);
  });

  it("answers 500 if `ctx.auth.has` does not return a boolean", async () => {
    for (const auth of [{ has: async () => true }, { has: () => 1 }, { scopes: ["orders:write"] }]) {
      const { server, calls } = await serve(writes, { middleware: () => ({ auth }) });
      assert.equal((await server.send("POST /orders")).status, 500);
      assert.equal(calls(), 0);
    }
  });
});
