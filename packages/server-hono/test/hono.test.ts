import assert from "node:assert/strict";
import { test } from "node:test";

import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { form, formType, multipart, serveBody } from "../../server-node/test/forms.ts";
import { outcome, post, raw, type Served, serve } from "../../server-node/test/support.ts";
import { honoContext, honoServer } from "../src/index.ts";

quietStdout();

function serveOn(...middleware: readonly MiddlewareHandler[]): Promise<Served> {
  const app = new Hono();
  for (const one of middleware) app.use(one);
  return serve(honoServer({ app }));
}

test("runs native routes and middleware first, and kit serves the rest", async () => {
  const app = new Hono();
  app.use(cors());
  app.use(async (c, next) => {
    c.header("set-cookie", "session=s", { append: true });
    await next();
    c.header("x-after", String(c.res.status));
  });
  app.get("/native", (c) => c.text("native"));
  app.get("/notes/special", (c) => c.text("special"));
  const server = honoServer({ app });
  assert.equal(server.getNativeServer(), app);
  await using served = await serve(server, {
    get: (ctx) => {
      ctx.header("set-cookie", ["own=1", "own=2"]);
      return { text: "hi" };
    },
  });
  const get = (path: string, method = "GET"): Promise<Response> => fetch(served.url + path, { method });
  assert.equal(await (await get("/native")).text(), "native");
  assert.equal(await (await get("/notes/special")).text(), "special");
  const response = await get("/notes/1/");
  assert.deepEqual(response.headers.getSetCookie(), ["session=s", "own=1", "own=2"]);
  assert.equal(response.headers.get("x-after"), "200");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.deepEqual(await response.json(), { text: "hi" });
  const head = await get("/notes/1", "HEAD");
  assert.deepEqual([head.status, head.headers.get("content-length"), await head.text()], [200, "13", ""]);
  assert.equal((await get("/notes/1", "PUT")).headers.get("x-after"), "405");
  assert.equal((await get("/native", "POST")).status, 404);
});

const parseBody: MiddlewareHandler = async (c, next) => void (await c.req.parseBody(), await next());

const readers: readonly [name: string, middleware: MiddlewareHandler][] = [
  ["nobody", (_c, next) => next()],
  ["c.req.text", async (c, next) => void (await c.req.text(), await next())],
  ["c.req.arrayBuffer", async (c, next) => void (await c.req.arrayBuffer(), await next())],
  ["c.req.parseBody", parseBody],
  ["bodyLimit", bodyLimit({ maxSize: 4 * 1024 * 1024 })],
  [
    "c.req.json",
    async (c, next) => {
      await c.req.json().catch(() => undefined);
      await next();
    },
  ],
];

for (const [name, middleware] of readers) {
  test(`kit gets the body if ${name} has already read it`, async () => {
    await using app = await serveOn(middleware);
    const send = (body: string, type?: string): Promise<[number, unknown]> =>
      outcome(post(`${app.url}/notes`, body, type));
    assert.deepEqual(await send('{"text":"ä€","other":1}'), [201, { text: "ä€" }]);
    assert.deepEqual(await send('{"text":5}'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send('"text"'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send('{"text":'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send("text=a", "application/x-www-form-urlencoded"), [
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
    assert.deepEqual(await send("x".repeat(1024 * 1024 + 1)), [413, "PAYLOAD_TOO_LARGE"]);
    assert.deepEqual(await outcome(post(`${app.url}/nowhere`, "{")), [404, "NOT_FOUND"]);
    const chunked = await raw(
      app.port,
      'POST /notes HTTP/1.1\r\nHost: a\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nc\r\n{"text":"a"}\r\n0\r\n\r\n',
    );
    assert.match(chunked, /^HTTP\/1.1 201 [^]*\{"text":"a"\}$/);
    assert.deepEqual(app.log, []);
  });
}

const readFormData: MiddlewareHandler = async (c, next) => {
  await c.req.formData().catch(() => undefined);
  await next();
};

test("kit gets a form if c.req.formData has already read it", async () => {
  await using plain = await serveBody(honoServer(), form);
  await using read = await serveBody(honoServer({ app: new Hono().use(readFormData) }), form);
  for (const body of ["title=a%20b&done=", "tag=1&tag=2&title=%C3%A4+%26%ZZ", "a[b]=1&%FF=2", ""]) {
    const answers = [plain, read].map(({ url }) => post(`${url}/forms`, body, `${formType}; charset=utf-8`));
    const [expected, found] = await Promise.all(answers);
    assert.equal(expected![0], 201);
    assert.deepEqual(found, expected, body);
  }
  assert.equal((await post(`${read.url}/forms`, "a".repeat(1024 * 1024 + 1), formType))[0], 413);
  assert.deepEqual(read.log, []);
});

const multipartType = "multipart/form-data; boundary=b";
const multipartBody = '--b\r\nContent-Disposition: form-data; name="pairs"\r\n\r\nä\r\n--b--\r\n';

test("kit gets a multipart body if c.req.parseBody has already read it", async () => {
  await using app = await serveBody(honoServer({ app: new Hono().use(parseBody, readFormData) }), multipart);
  assert.deepEqual(await post(`${app.url}/forms`, multipartBody, multipartType), [201, { pairs: "ä" }]);
});

test("responds with a clear error if c.req.formData has read a body that it cannot give back", async () => {
  for (const [format, body, type] of [
    [multipart, multipartBody, multipartType],
    [multipart, "no parts", multipartType],
  ] as const) {
    await using app = await serveBody(honoServer({ app: new Hono().use(readFormData) }), format);
    const [status] = await post(`${app.url}/forms`, body, type);
    assert.equal(status, 500);
    assert.match(app.log[0]!.message, /`c\.req\.formData\(\)` keeps only .*`c\.req\.parseBody\(\)`/);
    const large = await post(`${app.url}/forms`, "a".repeat(1024 * 1024 + 1), type);
    assert.equal(large[0], 413);
  }
});

test("responds with a clear error if middleware has read the body without Hono", async () => {
  await using app = await serveOn(async (c, next) => void (await c.req.raw.text(), await next()));
  assert.deepEqual(await outcome(post(`${app.url}/notes`, '{"text":"a"}')), [500, "INTERNAL_SERVER_ERROR"]);
  assert.match(app.log[0]!.message, /was read before kit saw the request.*c\.req/);
});

test("an error that middleware throws is sent in the format of kit's errors, unless it contains a response", async () => {
  await using app = await serveOn((c) => {
    if (c.req.path === "/forbidden") throw new HTTPException(403, { message: "not for you" });
    if (c.req.path === "/own") throw new HTTPException(401, { res: new Response("own", { status: 401 }) });
    throw new TypeError("secret");
  });
  const failure = async (path: string): Promise<unknown> => {
    const response = await fetch(app.url + path);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return [response.status, error.code, error.message];
  };
  assert.deepEqual(await failure("/forbidden"), [403, "FORBIDDEN", "not for you"]);
  assert.deepEqual(await failure("/notes/1"), [500, "INTERNAL_SERVER_ERROR", "Internal Server Error"]);
  const own = await fetch(`${app.url}/own`);
  assert.deepEqual([own.status, await own.text()], [401, "own"]);
  // Both errors were thrown, so they are logged as errors even if their status is below 500.
  assert.equal(app.log.length, 2);
});

test("a custom error handler of the application handles errors instead of kit", async () => {
  const app = new Hono();
  app.onError((error, c) => c.text(error.message, 418));
  app.get("/bug", () => {
    throw new Error("mine");
  });
  await using served = await serve(honoServer({ app }));
  const response = await fetch(`${served.url}/bug`);
  assert.deepEqual([response.status, await response.text()], [418, "mine"]);
});

test("routes that are added after the start of the server have precedence over kit", async () => {
  const app = new Hono();
  await using served = await serve(honoServer({ app }));
  const statusOf = async (path: string): Promise<number> => (await fetch(served.url + path)).status;
  assert.equal(await statusOf("/native"), 404);
  app.get("/native", (c) => c.text("native"));
  assert.equal(await statusOf("/native"), 200);
  assert.equal(await statusOf("/notes/1"), 200);
});

test("middleware sees the host of a target that is a full URL", async () => {
  const hosts: string[] = [];
  await using served = await serveOn(async (c, next) => {
    hosts.push(c.req.header("host") ?? "", new URL(c.req.url).host);
    await next();
  });
  const request = "GET http://b.example:81/notes/1 HTTP/1.1\r\nHost: a\r\nconnection: close\r\n\r\n";
  assert.match(await raw(served.port, request), /\r\nx-content-type-options: nosniff\r\n/i);
  assert.deepEqual(hosts, ["b.example:81", "b.example:81"]);
});

test("handlers read the variables of Hono's middleware", async () => {
  const app = new Hono<{ Variables: { user: string } }>();
  app.use(async (c, next) => (c.set("user", "Ada"), await next()));
  await using served = await serve(honoServer({ app }), {
    get: (ctx) => ({ text: honoContext<{ Variables: { user: string } }>(ctx).get("user") }),
  });
  assert.equal(await (await fetch(`${served.url}/notes/1`)).text(), '{"text":"Ada"}');
});

test("kit's routes have the place of `routes`, and all other requests go on", async () => {
  const app = new Hono();
  const server = honoServer({ app });
  app.get("/notes/first", (c) => c.text("before kit"));
  app.use(server.routes);
  app.put("/notes/:id", (c) => c.text("old PUT"));
  app.post("/old", async (c) => c.json(await c.req.json()));
  app.all("*", (c) => c.text("page"));
  assert.equal(await (await app.request("/notes/1")).text(), "page");
  await using served = await serve(server);
  const read = async (path: string, method = "GET"): Promise<string> =>
    await (await fetch(served.url + path, { method })).text();
  assert.equal(await read("/notes/first"), "before kit");
  assert.equal(await read("/notes/1"), '{"text":"hi"}');
  assert.equal(await read("/notes/1/"), '{"text":"hi"}');
  assert.equal(await read("/notes/1", "PUT"), "old PUT");
  assert.equal(await read("/elsewhere"), "page");
  assert.deepEqual(await post(`${served.url}/old`, '{"a":1}'), [200, { a: 1 }]);
  assert.deepEqual(await outcome(post(`${served.url}/notes`, '{"text":5}')), [400, "VALIDATION_ERROR"]);
});
