import assert from "node:assert/strict";
import { test } from "node:test";

import type { TestClient } from "../src/client.ts";
import { send, slotsOf } from "../src/contracts/request.ts";
import type { RouteTable } from "../src/contracts/tables.ts";
import { missing } from "../src/values/values-at-paths.ts";
import type { TestResponse } from "../src/test-response.ts";

const table: RouteTable = {
  route: "GET /orders",
  headers: { Authorization: "Bearer a" },
  request: {
    headers: { "x-tenant": "tenant", "x-tags": ["a", "b"] },
    cookies: { sid: "a b", theme: "dark" },
  },
};

/** Sends a request with one change, and returns the headers that the client sends. */
async function headersFor(
  change: { slot: "headers" | "cookies"; path: string; given: unknown } | undefined,
  given: Record<string, string> = {},
  ofClient: Record<string, string> = {},
): Promise<Record<string, string>> {
  let sent: Record<string, string> = {};
  const client: TestClient = {
    url: "",
    request: (_method, _path, request = {}) => {
      sent = { ...(request.headers as Record<string, string>) };
      return Promise.resolve({} as TestResponse);
    },
    socket: () => Promise.reject(new Error("These tests open no WebSocket")),
    close: () => Promise.resolve(),
  };
  const changes = change === undefined ? [] : [change];
  const app = { client, defaultHeaders: () => Promise.resolve(ofClient) };
  await send(app, table, slotsOf(table, {}, changes), { headers: given });
  return sent;
}

test("sends headers as text and cookies percent-encoded", async () => {
  assert.deepEqual(await headersFor(undefined), {
    authorization: "Bearer a",
    "x-tenant": "tenant",
    "x-tags": "a, b",
    cookie: "sid=a%20b; theme=dark",
  });
});

test("a fixture replaces headers and cookies of the valid request", async () => {
  const sent = await headersFor(undefined, { "x-tenant": "acme", cookie: "sid=1; other=2" });
  assert.equal(sent["x-tenant"], "acme");
  assert.equal(sent["cookie"], "theme=dark; sid=1; other=2");
});

test("headers of the client replace generated ones, and headers of the route replace those of the client", async () => {
  const ofClient = { authorization: "Bearer b", "x-tenant": "acme", cookie: "sid=1" };
  assert.deepEqual(await headersFor(undefined, {}, ofClient), {
    authorization: "Bearer a",
    "x-tenant": "acme",
    "x-tags": "a, b",
    cookie: "theme=dark; sid=1",
  });
});

test("a changed header takes precedence over the fixture", async () => {
  const given = { "x-tenant": "acme" };
  const changed = { slot: "headers", path: '$["x-tenant"]', given: "x" } as const;
  assert.equal((await headersFor(changed, given))["x-tenant"], "x");
  const removed = { slot: "headers", path: '$["x-tenant"]', given: missing } as const;
  assert.equal("x-tenant" in (await headersFor(removed, given)), false);
});

test("a changed cookie takes precedence over the fixture", async () => {
  const given = { cookie: "sid=1" };
  const changed = { slot: "cookies", path: "$.sid", given: "x" } as const;
  assert.equal((await headersFor(changed, given))["cookie"], "sid=x; theme=dark");
  const removed = { slot: "cookies", path: "$.sid", given: missing } as const;
  assert.equal((await headersFor(removed, given))["cookie"], "theme=dark");
});
