/** Peer: Elysia on Bun with its own validation (TypeBox) and `@elysiajs/static`. Elysia has no compression of its own. */
import { staticPlugin } from "@elysiajs/static";
import { Elysia, t } from "elysia";

import { port, priced, staticDirectory, stored, tls } from "./data.js";

const addends = t.Object({ a: t.Integer(), b: t.Integer() });

function compressed(value, request) {
  if (!(request.headers.get("accept-encoding") ?? "").includes("gzip")) return value;
  return new Response(Bun.gzipSync(JSON.stringify(value)), {
    headers: { "content-type": "application/json", "content-encoding": "gzip", vary: "accept-encoding" },
  });
}

new Elysia()
  .use(await staticPlugin({ assets: staticDirectory, prefix: "/static", alwaysStatic: false }))
  .get("/baseline11", ({ query }) => String(query.a + query.b), { query: addends })
  .post(
    "/baseline11",
    async ({ query, request, status }) => {
      const number = Number(await request.text());
      if (!Number.isSafeInteger(number)) return status(400);
      return String(query.a + query.b + number);
    },
    { query: addends, parse: "none" },
  )
  .get("/baseline2", ({ query }) => String(query.a + query.b), { query: addends })
  .get("/pipeline", () => "ok")
  .get("/json/:count", ({ params, query, request }) => compressed(priced(params.count, query.m), request), {
    params: t.Object({ count: t.Integer({ minimum: 0, maximum: 50 }) }),
    query: t.Object({ m: t.Integer({ default: 1 }) }),
  })
  .post(
    "/upload",
    async ({ request }) => {
      let bytes = 0;
      for await (const chunk of request.body) bytes += chunk.length;
      return String(bytes);
    },
    { parse: "none" },
  )
  .get("/async-db", ({ query }) => stored(query.min, query.max, query.limit), {
    query: t.Object({
      min: t.Integer({ default: 10 }),
      max: t.Integer({ default: 50 }),
      limit: t.Integer({ minimum: 1, maximum: 50, default: 50 }),
    }),
  })
  .ws("/ws", {
    // Elysia parses messages that look like JSON, which the message of the benchmark does not.
    message: (socket, message) => void socket.send(message),
  })
  .listen({ port, hostname: "127.0.0.1", ...(tls && { tls }) });
