import assert from "node:assert/strict";
import { test } from "node:test";

import { fastify, type FastifyInstance } from "fastify";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { outcome, post, raw, type Served, serve } from "../../server-node/test/support.ts";
import { fastifyRequest, fastifyServer } from "../src/index.ts";

quietStdout();

function serveOn(set: (app: FastifyInstance) => void): Promise<Served> {
  const app = fastify();
  set(app);
  return serve(fastifyServer({ app }));
}

test("runs native routes first, kit serves the rest, and hooks see all requests", async () => {
  const urls: string[] = [];
  const app = fastify();
  app.addHook("onRequest", async (request, reply) => {
    reply.header("set-cookie", "session=s");
    urls.push(request.url);
  });
  app.addHook("onSend", async (_request, reply, payload) => {
    reply.header("x-length", String(payload).length);
    return payload;
  });
  app.get("/native", () => "native");
  app.get("/notes/special", () => "special");
  const server = fastifyServer({ app });
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
  assert.equal(response.headers.get("x-length"), "13");
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal((await get("/notes/1", "PUT")).status, 405);
  assert.equal((await get("/native", "POST")).status, 404);
  assert.deepEqual(urls, ["/native", "/notes/special", "/notes/1/", "/notes/1", "/native"]);
  // No route of Fastify can have this method.
  const propfind = await get("/notes/1", "LINK");
  assert.deepEqual([propfind.status, propfind.headers.get("allow")], [405, "GET, HEAD"]);
});

const parsers: readonly [name: string, set: (app: FastifyInstance) => void][] = [
  ["its own", () => {}],
  ["one for everything", (app) => app.addContentTypeParser("*", { parseAs: "buffer" }, async () => "parsed")],
  [
    "one that fails",
    (app) => {
      app.removeAllContentTypeParsers();
      app.addContentTypeParser("application/json", () => Promise.reject(new Error("never called")));
    },
  ],
  [
    "a hook that passes the body on",
    (app) => app.addHook("preParsing", async (_request, _reply, payload) => payload),
  ],
];

for (const [name, set] of parsers) {
  test(`kit reads the body itself, whatever body parser the instance has: ${name}`, async () => {
    await using app = await serveOn(set);
    const send = (body: string, type?: string): Promise<[number, unknown]> =>
      outcome(post(`${app.url}/notes`, body, type));
    assert.deepEqual(await send('{"text":"ä€","other":1}'), [201, { text: "ä€" }]);
    assert.deepEqual(await send('{"text":5}'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send('{"text":'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send('{"__proto__":{"text":"a"}}'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send("text=a", "application/x-www-form-urlencoded"), [
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
    assert.deepEqual(await send('{"text":"a"}', "no type"), [415, "UNSUPPORTED_MEDIA_TYPE"]);
    assert.deepEqual(await send("x".repeat(1024 * 1024 + 1)), [413, "PAYLOAD_TOO_LARGE"]);
    assert.deepEqual(await outcome(post(`${app.url}/nowhere`, "{", "no type")), [404, "NOT_FOUND"]);
    assert.deepEqual(app.log, []);
  });
}

test("a body parser of the instance still serves the routes of the instance", async () => {
  await using app = await serveOn((instance) => {
    instance.post("/native", (request) => ({ got: request.body }));
  });
  assert.deepEqual(await post(`${app.url}/native`, '{"a":1}'), [200, { got: { a: 1 } }]);
  assert.deepEqual(await outcome(post(`${app.url}/native`, "{")), [400, "BAD_REQUEST"]);
});

test("an error that a hook throws is sent in the format of kit's errors", async () => {
  await using app = await serveOn((instance) => {
    instance.addHook("onRequest", async (request) => {
      if (request.url === "/forbidden") throw Object.assign(new Error("not for you"), { statusCode: 403 });
      throw new TypeError("secret");
    });
  });
  const failure = async (path: string): Promise<unknown> => {
    const response = await fetch(app.url + path);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return [response.status, error.code, error.message];
  };
  assert.deepEqual(await failure("/forbidden"), [403, "FORBIDDEN", "not for you"]);
  assert.deepEqual(await failure("/notes/1"), [500, "INTERNAL_SERVER_ERROR", "Internal Server Error"]);
  // Both errors were thrown, so they are logged as errors even if their status is below 500.
  assert.equal(app.log.length, 2);
});

test("a custom error handler of the instance handles errors instead of kit", async () => {
  await using app = await serveOn((instance) => {
    instance.setErrorHandler((error, _request, reply) => reply.code(418).send(String(error)));
    instance.addHook("onRequest", async (request) => {
      if (request.url === "/notes/2") throw new Error("mine");
    });
    instance.get("/bug", async () => {
      throw new Error("mine");
    });
  });
  for (const path of ["/bug", "/notes/2"]) {
    const response = await fetch(app.url + path);
    assert.deepEqual([response.status, await response.text()], [418, "Error: mine"]);
  }
  // kit's own errors do not go to the error handler of the instance.
  assert.deepEqual(await outcome(post(`${app.url}/notes`, "{}", "no type")), [415, "UNSUPPORTED_MEDIA_TYPE"]);
});

test("hooks see the host of a target that is a full URL, and the response has the headers that hooks set", async () => {
  const hosts: string[] = [];
  await using served = await serveOn((app) => {
    app.addHook("onRequest", async (request, reply) => {
      hosts.push(request.host, request.hostname);
      reply.header("x-content-type-options", "nosniff, own");
    });
  });
  const request = "GET http://b.example:80/notes/1 HTTP/1.1\r\nHost: a\r\nconnection: close\r\n\r\n";
  assert.match(await raw(served.port, request), /\r\nx-content-type-options: nosniff, own\r\n/i);
  assert.deepEqual(hosts, ["b.example:80", "b.example"]);
});

test("handlers read what hooks of Fastify have added to the request", async () => {
  const app = fastify().decorateRequest("user", "");
  app.addHook("onRequest", async (request) => void Object.assign(request, { user: "Ada" }));
  await using served = await serve(fastifyServer({ app }), {
    get: (ctx) => ({ text: (fastifyRequest(ctx) as unknown as { user: string }).user }),
  });
  assert.equal(await (await fetch(`${served.url}/notes/1`)).text(), '{"text":"Ada"}');
});
