import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";

import { createApp, type LogEntry } from "@kit/core";
import type { RequestListener } from "@kit/server-node";
import express, { type Express, type RequestHandler } from "express";

import { compiled, objectOf, responseOf, route } from "../../core/test/support/compiled.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { outcome, post, raw, serve } from "../../server-node/test/support.ts";
import { expressRequest, expressServer } from "../src/index.ts";

quietStdout();

/** Request to which {@link login} has added a user. */
interface WithUser {
  user?: { name: string };
}

const login: RequestHandler = (request, _response, next) => {
  (request as WithUser).user = { name: "Ada" };
  next();
};

const notFound: RequestHandler = (request, response) => {
  response.status(404).json({ message: `old 404 ${request.path}` });
};

async function read(url: string, method = "GET"): Promise<[number, string]> {
  const response = await fetch(url, { method });
  return [response.status, await response.text()];
}

test("handlers read what Express middleware has added to the request", async () => {
  const app: Express = express().use(login);
  await using served = await serve(expressServer({ app }), {
    get: (ctx) => ({ text: `${(expressRequest(ctx) as WithUser).user?.name} ${expressRequest(ctx).path}` }),
  });
  assert.deepEqual(await read(`${served.url}/notes/1`), [200, '{"text":"Ada /notes/1"}']);
});

test("expressRequest explains that the request did not come through Express", async () => {
  const app = createApp({
    signals: false,
    compiled: compiled(route("GET /notes/:id", { response: responseOf("Text", { text: "string" }) })),
    logging: { level: "fatal" },
    routes: [
      {
        handlers: {
          "GET /notes/:id": ({ ctx }: { ctx: object }) => {
            assert.throws(() => expressRequest(ctx), /did not come through Express.*app\.fetch/);
            assert.throws(() => expressRequest({ ...ctx }), /needs the ctx of a handler or middleware/);
            return { text: "explained" };
          },
        },
      },
    ],
  } as unknown as Parameters<typeof createApp>[0]);
  const response = await app.fetch(new Request("http://localhost/notes/1"));
  assert.equal(await response.text(), '{"text":"explained"}');
  await app.close();
});

test("kit's routes have the place of `routes`, and all other requests go on", async () => {
  const app = express();
  const server = expressServer({ app });
  app.get("/notes/first", (_request, response) => void response.send("before kit"));
  app.use(server.routes);
  app.use(express.json());
  app.get("/notes/:id", (_request, response) => void response.send("never"));
  app.put("/notes/:id", (_request, response) => void response.send("old PUT"));
  app.post("/old", (request, response) => void response.json(request.body));
  app.use(notFound);
  await using served = await serve(server);
  const at = (path: string, method?: string): Promise<[number, string]> => read(served.url + path, method);
  assert.deepEqual(await at("/notes/first"), [200, "before kit"]);
  assert.deepEqual(await at("/notes/1"), [200, '{"text":"hi"}']);
  assert.deepEqual(await at("/notes/1/"), [200, '{"text":"hi"}']);
  assert.deepEqual(await at("/%6eotes/1"), [200, '{"text":"hi"}']);
  assert.deepEqual(await at("/notes/1", "HEAD"), [200, ""]);
  // The path belongs to kit, and the method to a route of Express.
  assert.deepEqual(await at("/notes/1", "PUT"), [200, "old PUT"]);
  assert.deepEqual(await at("/notes/1", "DELETE"), [404, '{"message":"old 404 /notes/1"}']);
  assert.deepEqual(await at("/elsewhere"), [404, '{"message":"old 404 /elsewhere"}']);
  // The body of a request that kit passes on is still there for a parser of Express.
  assert.deepEqual(await post(`${served.url}/old`, '{"a":1}'), [200, { a: 1 }]);
  assert.deepEqual(await outcome(post(`${served.url}/notes`, '{"text":"ä"}')), [201, { text: "ä" }]);
  assert.deepEqual(await outcome(post(`${served.url}/notes`, '{"text":5}')), [400, "VALIDATION_ERROR"]);
});

test("preflight requests for routes behind `routes` get the response of the option `cors`", async () => {
  const web = express();
  const server = expressServer({ app: web });
  web.use(server.routes);
  web.use(notFound);
  const app = createApp({
    server,
    env: "production",
    signals: false,
    compiled: compiled(route("GET /notes/:id", { response: responseOf("Text", { text: "string" }) })),
    logging: { level: "fatal" },
    cors: { origins: ["https://shop.example"] },
    routes: [{ handlers: { "GET /notes/:id": () => ({ text: "hi" }) } }],
  } as unknown as Parameters<typeof createApp>[0]);
  const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
  const response = await fetch(`${url}/notes/1`, {
    method: "OPTIONS",
    headers: { origin: "https://shop.example", "access-control-request-method": "GET" },
  });
  assert.deepEqual(
    [response.status, response.headers.get("access-control-allow-origin")],
    [204, "https://shop.example"],
  );
  await app.close();
});

test("`routes` passes requests on if kit does not listen", async () => {
  const app = express();
  app.use(expressServer({ app }).routes);
  app.use(notFound);
  const listening = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  const { port } = listening.address() as { port: number };
  assert.deepEqual(await read(`http://127.0.0.1:${port}/notes/1`), [404, '{"message":"old 404 /notes/1"}']);
  listening.close();
});

test("the log explains why no request reaches kit behind a handler for unknown paths", async () => {
  const log: LogEntry[] = [];
  const app = createApp({
    server: expressServer({ app: express().use(notFound) }),
    env: "production",
    signals: false,
    compiled: compiled(route("GET /notes/:id", { response: responseOf("Text", { text: "string" }) })),
    logging: { level: "warn" },
    plugins: [{ name: "log", onLog: (entry: LogEntry) => log.push(entry) }],
    routes: [{ handlers: { "GET /notes/:id": () => ({ text: "hi" }) } }],
  } as unknown as Parameters<typeof createApp>[0]);
  const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
  assert.equal((await read(`${url}/elsewhere`))[0], 404);
  assert.deepEqual(log, []);
  assert.equal((await read(`${url}/notes/1`))[0], 404);
  assert.equal((await read(`${url}/notes/2`))[0], 404);
  await app.close();
  assert.match(
    log.map(({ message }) => message).join("\n"),
    /responded with 404 to a request for a route of kit.*app\.use\(server\.routes\)/,
  );
  assert.equal(log.length, 1);
});

test("a library that attaches to the HTTP server gets its requests and handshakes before Express", async () => {
  const server = expressServer({
    app: express().use(notFound),
    onServer: (http) => {
      // socket.io attaches in this way.
      const others = http.listeners("request") as RequestListener[];
      http.removeAllListeners("request").on("request", (request, response) => {
        if (request.url === "/socket.io/") response.end("polling");
        else for (const other of others) other(request, response);
      });
      http.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\nhello"));
    },
  });
  await using served = await serve(server);
  assert.deepEqual(await read(`${served.url}/socket.io/`), [200, "polling"]);
  assert.deepEqual(await read(`${served.url}/elsewhere`), [404, '{"message":"old 404 /elsewhere"}']);
  assert.match(await raw(served.port, handshake("/socket.io/")), /^HTTP\/1\.1 101 .*hello$/s);
});

test("kit accepts handshakes for its own routes if a library accepts others", async () => {
  const messages = { in: objectOf("In", { text: "string" }), out: responseOf("Out", { text: "string" }) };
  const app = createApp({
    server: expressServer({
      onServer: (http) =>
        http.on("upgrade", ({ url }, socket) => {
          if (url === "/socket.io/") socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\nhello");
        }),
    }),
    env: "production",
    signals: false,
    compiled: compiled(route("WS /live", { status: 101, socket: messages } as never)),
    logging: { level: "fatal" },
    routes: [{ handlers: { "WS /live": () => undefined } }],
  } as unknown as Parameters<typeof createApp>[0]);
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  const first = async (path: string): Promise<string> => {
    const socket = connect(port, "127.0.0.1");
    socket.write(handshake(path));
    const [data] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return data.toString("latin1");
  };
  assert.match(await first("/live"), /^HTTP\/1\.1 101 .*sec-websocket-accept/is);
  assert.match(await first("/socket.io/"), /hello$/);
  await app.close({ graceMs: 0 });
});

function handshake(path: string): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    "host: a",
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}
