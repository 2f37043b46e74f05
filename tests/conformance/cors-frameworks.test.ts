// Tests the option `cors` on servers with a framework: the framework's own middleware and routes must not make
// responses that a page cannot read, and must not refuse preflight requests.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";

import { createApp, defineHandlers } from "@kit/core";
import { expressServer } from "@kit/server-express";
import { fastifyServer } from "@kit/server-fastify";
import { honoServer } from "@kit/server-hono";
import type { ServerAdapter } from "@kit/types";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";

import { compiled, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { isRust, notInRust } from "./rust.ts";

quietStdout();

const page = "https://app.example.com";
const program = compiled(route("PUT /notes", { response: responseOf("Note", { title: "string" }) }));

/** Frameworks that refuse requests without `authorization`, and that have a route of their own. Their responses vary. */
const frameworks: readonly (readonly [name: string, make: () => ServerAdapter])[] = [
  [
    "express",
    () => {
      const app = express();
      app.use((request, response, next) => {
        response.vary("Accept-Encoding");
        if (request.headers.authorization === undefined) response.status(401).json({ error: "no" });
        else next();
      });
      app.get("/own", (_request, response) => void response.send("own"));
      return expressServer({ app });
    },
  ],
  [
    "fastify",
    () => {
      const app = fastify();
      app.addHook("onRequest", async (request, reply) => {
        reply.header("vary", "Accept-Encoding");
        if (request.headers.authorization === undefined) return reply.code(401).send({ error: "no" });
        return undefined;
      });
      app.get("/own", () => "own");
      return fastifyServer({ app });
    },
  ],
  [
    "hono",
    () => {
      const app = new Hono();
      app.use(async (context, next) => {
        context.header("vary", "Accept-Encoding");
        if (context.req.header("authorization") === undefined) return context.json({ error: "no" }, 401);
        return next();
      });
      app.get("/own", (context) => context.text("own"));
      return honoServer({ app });
    },
  ],
];

notInRust("the option cors with a framework", "the Rust server has no framework with middleware of its own");

for (const [name, make] of isRust ? [] : frameworks) {
  test(`${name}: pages can read responses of the framework, and its middleware does not refuse preflight requests`, async () => {
    const handlers = defineHandlers({ "PUT /notes": () => ({ title: "a" }) } as never);
    const app = createApp({
      server: make(),
      compiled: program,
      routes: [{ handlers }],
      signals: false,
      cors: { origins: [page], credentials: true },
    });
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    try {
      const send = async (
        method: string,
        path: string,
        headers: Record<string, string>,
      ): Promise<(string | number | null)[]> => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          headers: { origin: page, ...headers },
        });
        await response.arrayBuffer();
        const of = (field: string): string | null => response.headers.get(field);
        return [response.status, of("access-control-allow-origin"), of("vary")?.toLowerCase() ?? null];
      };
      const vary = "accept-encoding, origin";
      assert.deepEqual(await send("PUT", "/notes", {}), [401, page, vary]);
      assert.deepEqual(await send("GET", "/own", { authorization: "a" }), [200, page, vary]);
      assert.deepEqual(await send("PUT", "/notes", { authorization: "a" }), [200, page, vary]);
      assert.deepEqual(await send("GET", "/nothing", { authorization: "a" }), [404, page, vary]);
      assert.deepEqual(await send("OPTIONS", "/notes", { "access-control-request-method": "PUT" }), [
        204,
        page,
        "origin, access-control-request-method, access-control-request-headers",
      ]);
      // Without a requested method, the request is not a preflight request, and the middleware refuses it.
      assert.deepEqual(await send("OPTIONS", "/notes", {}), [401, page, vary]);
    } finally {
      await app.close({ graceMs: 0 });
    }
  });
}

test("express: a head that middleware writes in any form of writeHead keeps its headers", async (t) => {
  if (isRust) return t.skip("Express runs on Node");
  const web = express();
  const own = { "x-own": "1", "content-type": "text/plain" };
  const writers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    "status and headers": (response) => response.writeHead(201, own),
    "status, message and headers": (response) => response.writeHead(201, "Made", own),
    "status, no message and headers": (response) => response.writeHead(201, undefined, own),
    "status and list of headers": (response) => response.writeHead(201, Object.entries(own).flat()),
    "status, no message and list of headers": (response) =>
      response.writeHead(201, undefined, Object.entries(own).flat()),
  };
  for (const [index, write] of Object.values(writers).entries()) {
    web.get(`/${index}`, (_request, response) => {
      write(response);
      response.end("own");
    });
  }
  const handlers = defineHandlers({ "PUT /notes": () => ({ title: "a" }) } as never);
  const app = createApp({
    server: expressServer({ app: web }),
    compiled: program,
    routes: [{ handlers }],
    signals: false,
    cors: { origins: [page] },
  });
  const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
  t.after(() => app.close({ graceMs: 0 }));
  for (const [index, name] of Object.keys(writers).entries()) {
    const { status, headers } = await fetch(`${url}/${index}`, { headers: { origin: page } });
    const found = ["x-own", "content-type", "access-control-allow-origin"].map((header) =>
      headers.get(header),
    );
    assert.deepEqual([status, ...found], [201, "1", "text/plain", page], name);
  }
});
