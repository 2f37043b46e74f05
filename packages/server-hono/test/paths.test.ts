// Ways to kit past Hono's middleware, all of them closed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Hono } from "hono";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { raw, serve } from "../../server-node/test/support.ts";
import { honoServer } from "../src/index.ts";

quietStdout();

/** The status of a GET, whose head is sent as it is. */
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

test("HTTP/1.0 without a host is seen by middleware", async () => {
  assert.equal(await statusOf(guarded("*"), "/notes/1", "HTTP/1.0"), 401);
  const urls: string[] = [];
  const app = new Hono().use(async (context, next) => {
    urls.push(context.req.url);
    await next();
  });
  assert.equal(await statusOf(app, "/notes/1?a", "HTTP/1.0"), 200);
  assert.deepEqual(urls, ["http://localhost/notes/1?a"]);
});

test("a slash at the end does not lead past middleware of a single path", async () => {
  assert.equal(await statusOf(guarded("/notes/1"), "/notes/1/"), 401);
  assert.equal(await statusOf(guarded("/notes/1", false), "/notes/1/"), 401);
  assert.equal(await statusOf(guarded("/notes/2"), "/notes/1/"), 200);
  // A path that kit has no route for is the application's own.
  const app = new Hono().get("/dir/", (context) => context.text("dir"));
  assert.equal(await statusOf(app, "/dir/"), 200);
});

test("what middleware calls not found is not found", async () => {
  const app = new Hono().use("/notes/*", (context) => Promise.resolve(context.notFound()));
  assert.equal(await statusOf(app, "/notes/1"), 404);
});

test("an application that was asked before it listens has kit behind its routes", async () => {
  const app = guarded("/notes/1");
  assert.equal((await app.request("/notes/1")).status, 401);
  assert.equal(await statusOf(app, "/notes/1"), 401);
  const other = guarded("/notes/2");
  await other.request("/notes/2");
  assert.equal(await statusOf(other, "/notes/1"), 200);
});

test("an application below a base path has kit behind its routes, for every path", async () => {
  const app = new Hono().basePath("/api") as unknown as Hono;
  app.get("/x", (context) => context.text("x"));
  assert.equal(await statusOf(app, "/api/x"), 200);
  const other = new Hono().basePath("/api") as unknown as Hono;
  other.use("/x", (context) => Promise.resolve(context.text("no", 401)));
  assert.equal(await statusOf(other, "/notes/1"), 200);
});

test("a `fetch` that somebody has wrapped is asked, even without routes", async () => {
  const app = new Hono();
  app.fetch = () => new Response("no", { status: 401 });
  assert.equal(await statusOf(app, "/notes/1"), 401);
});

test("middleware that comes after the first requests is asked", async () => {
  const app = new Hono();
  await using served = await serve(honoServer({ app }));
  const get = (): Promise<string> =>
    raw(served.port, "GET /notes/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  assert.match(await get(), /^HTTP\/1.1 200 /);
  app.use((context) => Promise.resolve(context.text("no", 401)));
  assert.match(await get(), /^HTTP\/1.1 401 /);
});
