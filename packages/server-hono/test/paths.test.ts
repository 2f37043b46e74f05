// Requests that try to reach a handler of kit without passing Hono's middleware. All of them must fail.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Hono } from "hono";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { raw, serve } from "../../server-node/test/support.ts";
import { honoServer } from "../src/index.ts";

quietStdout();

/** Returns the status of the response to a GET request whose target and headers are sent unchanged. */
async function statusOf(
  app: Hono,
  target: string,
  rest = "HTTP/1.1\r\nHost: a\r\nConnection: close",
): Promise<number> {
  await using served = await serve(honoServer({ app }));
  return Number((await raw(served.port, `GET ${target} ${rest}\r\n\r\n`)).slice(9, 12));
}

const guarded = (path: string, strict = true): Hono =>
  new Hono({ strict }).use(path, (context) => Promise.resolve(context.text("no", 401)));

test("middleware sees requests of HTTP/1.0 without a Host header", async () => {
  assert.equal(await statusOf(guarded("*"), "/notes/1", "HTTP/1.0"), 401);
  const urls: string[] = [];
  const app = new Hono().use(async (context, next) => {
    urls.push(context.req.url);
    await next();
  });
  assert.equal(await statusOf(app, "/notes/1?a", "HTTP/1.0"), 200);
  assert.deepEqual(urls, ["http://localhost/notes/1?a"]);
});

test("a final slash does not bypass middleware for a single path", async () => {
  assert.equal(await statusOf(guarded("/notes/1"), "/notes/1/"), 401);
  assert.equal(await statusOf(guarded("/notes/1", false), "/notes/1/"), 401);
  assert.equal(await statusOf(guarded("/notes/2"), "/notes/1/"), 200);
  // kit has no route for this path, so Hono gets it with its slash.
  const app = new Hono().get("/dir/", (context) => context.text("dir"));
  assert.equal(await statusOf(app, "/dir/"), 200);
});

test("responds with 404 if middleware calls `notFound`", async () => {
  const app = new Hono().use("/notes/*", (context) => Promise.resolve(context.notFound()));
  assert.equal(await statusOf(app, "/notes/1"), 404);
});

test("routes of the Hono application come before kit's routes, also if Hono has handled a request before the server starts", async () => {
  const app = guarded("/notes/1");
  assert.equal((await app.request("/notes/1")).status, 401);
  assert.equal(await statusOf(app, "/notes/1"), 401);
  const other = guarded("/notes/2");
  await other.request("/notes/2");
  assert.equal(await statusOf(other, "/notes/1"), 200);
});

test("kit serves every path of an application with a base path, after the routes of the application", async () => {
  const app = new Hono().basePath("/api") as unknown as Hono;
  app.get("/x", (context) => context.text("x"));
  assert.equal(await statusOf(app, "/api/x"), 200);
  const other = new Hono().basePath("/api") as unknown as Hono;
  other.use("/x", (context) => Promise.resolve(context.text("no", 401)));
  assert.equal(await statusOf(other, "/notes/1"), 200);
});

test("calls a `fetch` that other code has replaced, even if the application has no routes", async () => {
  const app = new Hono();
  app.fetch = () => new Response("no", { status: 401 });
  assert.equal(await statusOf(app, "/notes/1"), 401);
});

test("calls middleware that is added after the server has responded to requests", async () => {
  const app = new Hono();
  await using served = await serve(honoServer({ app }));
  const get = (): Promise<string> =>
    raw(served.port, "GET /notes/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  assert.match(await get(), /^HTTP\/1.1 200 /);
  app.use((context) => Promise.resolve(context.text("no", 401)));
  assert.match(await get(), /^HTTP\/1.1 401 /);
});
