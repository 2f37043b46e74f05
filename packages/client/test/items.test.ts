// Tests of `items()`: the items of all pages of a list.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Cursor, CursorQuery, RouteContract } from "@kit/types";

import { createClient, isApiError } from "../src/index.ts";
import { TestServer } from "./server.ts";

interface Note {
  id: number;
}

interface Routes {
  "GET /notes": RouteContract<void, CursorQuery & { author?: string }, void, Cursor<Note>>;
  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;
}

/** Starts a server whose list has the items from 0 to 6, three on a page. */
function start(): Promise<TestServer> {
  return TestServer.start(({ url }) => {
    const first = Number(new URL(url, "http://localhost").searchParams.get("cursor") ?? 0);
    const data = [0, 1, 2].map((id) => ({ id: first + id })).filter(({ id }) => id < 7);
    return { body: JSON.stringify(first < 6 ? { data, next: `${first + 3}` } : { data, previous: "0" }) };
  });
}

test("items() returns the items of all pages, and sends the query with each request", async () => {
  await using server = await start();
  const api = createClient<Routes>({ baseUrl: server.url });
  const ids: number[] = [];
  for await (const { id } of api.get("/notes", { query: { author: "ada", limit: 3 } }).items()) ids.push(id);
  assert.deepEqual(ids, [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(
    server.requests.map(({ url }) => url),
    ["", "&cursor=3", "&cursor=6"].map((cursor) => `/notes?author=ada&limit=3${cursor}`),
  );
});

test("items() requests no page that the iteration does not need", async () => {
  await using server = await start();
  const api = createClient<Routes>({ baseUrl: server.url });
  for await (const { id } of api.get("/notes").items()) if (id === 2) break;
  assert.equal(server.requests.length, 1);
});

test("items() throws the error of a page", async () => {
  await using server = await TestServer.start(({ url }) =>
    url.includes("cursor")
      ? {
          status: 400,
          body: JSON.stringify({ error: { code: "INVALID_CURSOR", message: "no", traceId: "0" } }),
        }
      : { body: JSON.stringify({ data: [{ id: 1 }], next: "forged" }) },
  );
  const api = createClient<Routes>({ baseUrl: server.url });
  const ids: number[] = [];
  await assert.rejects(
    async () => {
      for await (const { id } of api.get("/notes").items()) ids.push(id);
    },
    (error) => isApiError(error, "INVALID_CURSOR"),
  );
  assert.deepEqual(ids, [1]);
});

test("items() throws if the next cursor of a page is the cursor of the page itself, so that the iteration ends", async () => {
  await using server = await TestServer.start(() => ({ body: JSON.stringify({ data: [], next: "same" }) }));
  const api = createClient<Routes>({ baseUrl: server.url });
  await assert.rejects(async () => {
    for await (const _ of api.get("/notes").items());
  }, /\/notes repeats a cursor/);
  assert.equal(server.requests.length, 2);
});

test("items() is a type error for a response that is not a page", async () => {
  await using server = await TestServer.start(() => ({ body: '{"id":1}' }));
  const api = createClient<Routes>({ baseUrl: server.url });
  const call = api.get("/notes/:id", { params: { id: "1" } });
  // @ts-expect-error -- the response is one note
  const items = call.items();
  assert.equal(typeof items[Symbol.asyncIterator], "function");
  await call;
});
