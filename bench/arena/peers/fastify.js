/** Peer: Fastify with JSON Schemas, `@fastify/compress`, `@fastify/static` and `@fastify/websocket`. */
import compress from "@fastify/compress";
import fastifyStatic from "@fastify/static";
import websocket from "@fastify/websocket";
import Fastify from "fastify";

import { port, priced, staticDirectory, stored, tls } from "./data.js";

const integer = (rest) => ({ type: "integer", ...rest });
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const item = {
  id: integer(),
  name: { type: "string" },
  category: { type: "string" },
  price: integer(),
  quantity: integer(),
  active: { type: "boolean" },
  tags: { type: "array", items: { type: "string" } },
  rating: object({ score: integer(), count: integer() }),
};
const list = (properties) => ({
  200: object({ count: integer(), items: { type: "array", items: object(properties) } }),
});
const addends = object({ a: integer(), b: integer() });

const app = Fastify(tls && { http2: true, https: { ...tls, allowHTTP1: true } });
await app.register(compress, { global: false, encodings: ["gzip"] });
await app.register(fastifyStatic, { root: staticDirectory, prefix: "/static/", preCompressed: true });
await app.register(websocket);
// Bodies of requests without a content type arrive as a stream, which the handlers read.
app.removeAllContentTypeParsers();
app.addContentTypeParser("*", (_request, _payload, done) => done(null));

async function textOf(request) {
  let text = "";
  for await (const chunk of request.raw) text += chunk;
  return text;
}

app.get("/baseline11", { schema: { querystring: addends } }, async (request, reply) => {
  reply.type("text/plain");
  return String(request.query.a + request.query.b);
});
app.get("/baseline2", { schema: { querystring: addends } }, async (request, reply) => {
  reply.type("text/plain");
  return String(request.query.a + request.query.b);
});
app.post("/baseline11", { schema: { querystring: addends } }, async (request, reply) => {
  const number = Number(await textOf(request));
  if (!Number.isSafeInteger(number)) return reply.code(400).send();
  reply.type("text/plain");
  return String(request.query.a + request.query.b + number);
});
app.get("/pipeline", async (_request, reply) => {
  reply.type("text/plain");
  return "ok";
});
app.get(
  "/json/:count",
  {
    compress: { encodings: ["gzip"] },
    schema: {
      params: object({ count: integer({ minimum: 0, maximum: 50 }) }),
      querystring: object({ m: integer({ default: 1 }) }, []),
      response: list({ ...item, total: integer() }),
    },
  },
  async (request) => priced(request.params.count, request.query.m),
);
app.post("/upload", { bodyLimit: 21 * 1024 * 1024 }, async (request, reply) => {
  let bytes = 0;
  for await (const chunk of request.raw) bytes += chunk.length;
  reply.type("text/plain");
  return String(bytes);
});
app.get(
  "/async-db",
  {
    schema: {
      querystring: object(
        {
          min: integer({ default: 10 }),
          max: integer({ default: 50 }),
          limit: integer({ minimum: 1, maximum: 50, default: 50 }),
        },
        [],
      ),
      response: list(item),
    },
  },
  async ({ query }) => stored(query.min, query.max, query.limit),
);
app.get("/ws", { websocket: true }, (socket) => {
  socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
});
await app.listen({ port, host: "127.0.0.1" });
