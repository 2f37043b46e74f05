// Runs the generated client of contracts with headers, cookies, replies, details of errors and named operations.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiReply, type Client, isApiError, type OperationMethods } from "@kit/client";
import { type Reply, TestServer } from "../../packages/client/test/server.ts";

import {
  createClient,
  type Operations,
  type Routes,
  type Types,
} from "../../crates/kit-emit/tests/goldens/contracts/client/index.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

const order = { id: "1", sku: "a", count: 1, orderedAt: "2026-01-01T00:00:00.000Z" };
const created = {
  status: 201,
  headers: {
    location: "/orders/1",
    etag: '"1"',
    "x-remaining": "7",
    "x-expires": "2026-01-02T00:00:00.000Z",
    "x-total": "18446744073709551616",
    "x-cached": "true",
    "x-kind": "fast",
    vary: 'accept, "a,b"',
    "x-sizes": "1, 2.5",
    "set-cookie": ["a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT", "b=2"],
    "x-undeclared": "1",
  },
  body: JSON.stringify(order),
};
const input = { headers: { "x-tenant": "acme" }, body: { sku: "a" } };

async function withServer(
  reply: Reply,
  run: (api: ReturnType<typeof createClient>, server: TestServer) => Promise<void>,
): Promise<void> {
  await using server = await TestServer.start(() => reply);
  await run(createClient({ baseUrl: server.url, retry: false }), server);
}

// Never called. The type checker checks the calls in it.
export async function calls(api: Client<Routes> & OperationMethods<Routes, Operations>): Promise<void> {
  const reply = await api.post("/orders", input);
  switch (reply.status) {
    case 201:
      yes<Same<typeof reply.data, Types.Order>>();
      yes<Same<typeof reply.headers.location, string>>();
      yes<Same<typeof reply.headers.vary, string[] | undefined>>();
      // @ts-expect-error a header that the contract does not declare
      assert.ok(reply.headers.server);
      break;
    case 202:
      yes<Same<typeof reply.data, Types.Job>>();
      // @ts-expect-error this reply has no headers
      assert.ok(reply.headers.location);
      break;
    case 303:
      yes<Same<typeof reply.data, undefined>>();
      break;
    // @ts-expect-error a status that the contract does not declare
    case 204:
      break;
  }
  // @ts-expect-error a required header is missing
  await api.post("/orders", { headers: {}, body: { sku: "a" } });
  // @ts-expect-error all headers are missing
  await api.post("/orders", { body: { sku: "a" } });
  // @ts-expect-error a misspelt header
  await api.post("/orders", { headers: { "x-tenant": "acme", "x-sise": [1] }, body: { sku: "a" } });
  // @ts-expect-error a header of another type
  await api.post("/orders", { headers: { "x-tenant": "acme", "x-sizes": ["1"] }, body: { sku: "a" } });
  // @ts-expect-error a cookie that the contract does not declare
  await api.post("/orders", { ...input, cookies: { sid: "12345678", tracking: "1" } });
  // @ts-expect-error the contract declares no cookies
  await api.get("/stock", { cookies: { sid: "12345678" } });
  await api.get("/stock", { headers: { "x-any": "1" } });
  await api.get("/orders/:id", { params: { id: "1" } });
  yes<Same<Awaited<ReturnType<typeof api.createOrder>>, typeof reply>>();
  const gone = await api.cancelOrder({ params: { id: "1" } });
  yes<Same<typeof gone, ApiReply<204, undefined>>>();
  // @ts-expect-error the params are missing
  await api.cancelOrder();

  const result = await api.createOrder(input).result();
  if (result.ok) return;
  const { error } = result;
  switch (error.code) {
    case "SOLD_OUT":
      yes<Same<typeof error.details, Types.SoldOut>>();
      yes<Same<typeof error.status, 409>>();
      break;
    case "PAYMENT_FAILED":
      yes<Same<typeof error.status, 402>>();
      break;
    // @ts-expect-error a code that the contract does not declare
    case "SOLDOUT":
      break;
  }
}

test("a reply has its status, its body, and its declared headers with their types", () =>
  withServer(created, async (api) => {
    const reply = await api.post("/orders", input);
    assert.equal(reply.status, 201);
    assert.ok(reply.status === 201);
    assert.deepEqual(reply.data, { ...order, orderedAt: new Date(order.orderedAt) });
    assert.deepEqual(reply.headers, {
      location: "/orders/1",
      etag: '"1"',
      "x-remaining": 7,
      "x-expires": new Date("2026-01-02T00:00:00Z"),
      "x-total": 18446744073709551616n,
      "x-cached": true,
      "x-kind": "fast",
      vary: ["accept", '"a,b"'],
      "x-sizes": [1, 2.5],
      "set-cookie": ["a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT", "b=2"],
    });
    const result = await api.createOrder(input).result();
    assert.ok(result.ok);
    assert.equal(result.response.headers.get("x-undeclared"), "1");
  }));

test("a redirect is a reply, and is not followed", () =>
  withServer({ status: 303, headers: { location: "/orders/9" } }, async (api, server) => {
    const reply = await api.post("/orders", input);
    assert.deepEqual(reply, { status: 303, data: undefined, headers: { location: "/orders/9" } });
    assert.equal(server.requests.length, 1);
  }));

test("304 and 204 are replies without data", async () => {
  await withServer({ status: 304, headers: { etag: '"1"' } }, async (api, server) => {
    const headers = { "if-none-match": ['"1"', 'W/"a,b"'] };
    const reply = await api.get("/orders/:id", { params: { id: "1" }, headers });
    assert.deepEqual(reply, { status: 304, data: undefined, headers: { etag: '"1"' } });
    assert.equal(server.requests[0]?.headers["if-none-match"], '"1", W/"a,b"');
  });
  await withServer({ status: 204 }, async (api) => {
    const reply = await api.cancelOrder({ params: { id: "1" } });
    assert.deepEqual(reply, { status: 204, data: undefined, headers: {} });
  });
});

test("a status that the contract does not declare is an error", () =>
  // `location` of a successful response names no target of a redirect.
  withServer({ status: 200, headers: { location: "/orders/9" }, body: "{}" }, async (api) => {
    await assert.rejects(
      api.post("/orders", input),
      (error) =>
        isApiError(error, "UNEXPECTED_RESPONSE") &&
        error.status === 200 &&
        error.message === "The contract of POST /orders does not declare the status 200",
    );
  }));

test("headers of every type are sent as text", () =>
  withServer(created, async (api, server) => {
    await api.post("/orders", {
      headers: {
        "x-tenant": "acme",
        authorization: "Bearer token",
        "x-retries": 3,
        "x-dry-run": false,
        "x-since": new Date(0),
        "x-total": 2n ** 64n,
        "x-mode": 1,
        "x-tags": ["a", '"b,c"'],
        "x-sizes": [1, 2.5],
      },
      body: { sku: "a" },
    });
    const sent = server.requests[0]!.headers;
    assert.equal(sent["x-tenant"], "acme");
    assert.equal(sent.authorization, "Bearer token");
    assert.equal(sent["x-retries"], "3");
    assert.equal(sent["x-dry-run"], "false");
    assert.equal(sent["x-since"], "1970-01-01T00:00:00.000Z");
    assert.equal(sent["x-total"], "18446744073709551616");
    assert.equal(sent["x-mode"], "1");
    assert.equal(sent["x-tags"], 'a, "b,c"');
    assert.equal(sent["x-sizes"], "1, 2.5");
    assert.match(String(sent["idempotency-key"]), /^[\da-f-]{36}$/, "the client sends a key by itself");
  }));

test("a call throws if the server would read an item of a list as two items", () =>
  withServer(created, async (api, server) => {
    for (const item of ["a,b", "", " "]) {
      const headers = { "x-tenant": "acme", "x-tags": [item] };
      await assert.rejects(api.post("/orders", { headers, body: { sku: "a" } }), {
        name: "TypeError",
        message: `an item of the header x-tags cannot be ${JSON.stringify(item)}, because the server would not read this text as a single item`,
      });
    }
    assert.equal(server.requests.length, 0);
  }));

test("cookies are sent percent-encoded, after the cookies of other headers", async () => {
  await using server = await TestServer.start(() => created);
  const api = createClient({ baseUrl: server.url, headers: { cookie: "lang=en" } });
  const cookies = { sid: "a b;c=%ü", theme: "dark", visits: 2, seen: new Date(0) } as const;
  await api.post("/orders", { ...input, cookies });
  await api.post("/orders", input);
  assert.deepEqual(
    server.requests.map(({ headers }) => headers.cookie),
    [
      "lang=en; sid=a%20b%3Bc%3D%25%C3%BC; theme=dark; visits=2; seen=1970-01-01T00%3A00%3A00.000Z",
      "lang=en",
    ],
  );
});

test("details of a declared error have the declared type", async () => {
  const error = {
    code: "SOLD_OUT",
    message: "m",
    details: { left: 2, again: order.orderedAt },
    traceId: "t",
  };
  await withServer({ status: 409, body: JSON.stringify({ error }) }, async (api) => {
    const result = await api.createOrder(input).result();
    assert.ok(!result.ok && result.error.code === "SOLD_OUT");
    assert.deepEqual(result.error.details, { left: 2, again: new Date(order.orderedAt) });
  });
  const other = { ...error, code: "constructor" };
  await withServer({ status: 409, body: JSON.stringify({ error: other }) }, async (api) => {
    const result = await api.createOrder(input).result();
    assert.ok(!result.ok);
    assert.deepEqual(result.error.details, error.details);
  });
});

test("a client of contracts without replies returns only the data", () =>
  withServer({ status: 200, body: '{"pieces":3}' }, async (api) => {
    assert.deepEqual(await api.get("/stock"), { pieces: 3 });
  }));
