// Options of Fastify's router that affect which path it matches. With none of them may a spelling of a path bypass a route of Fastify that
// protects the path.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fastify, type FastifyInstance, type FastifyServerOptions } from "fastify";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { raw, serve } from "../../server-node/test/support.ts";
import { fastifyServer } from "../src/index.ts";

quietStdout();

/** Returns the status of the response to a GET request with this target, which is sent unchanged. */
async function statusOf(app: FastifyInstance, target: string, url: string): Promise<number> {
  app.all(url, (_request, reply) => reply.code(401).send("no"));
  await using served = await serve(fastifyServer({ app }));
  const text = await raw(served.port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return Number(text.slice(9, 12));
}

test("kit reads a semicolon as the start of the query if Fastify does", async () => {
  // Fastify reads the option in `routerOptions`, but its types do not declare it.
  const options = { routerOptions: { useSemicolonDelimiter: true } } as unknown as FastifyServerOptions;
  assert.equal(await statusOf(fastify(options), "/notes/1;x", "/notes/1"), 401);
  assert.equal(await statusOf(fastify(options), "/notes/1;/2?a", "/other"), 200);
  assert.equal(await statusOf(fastify(options), "/notes;/1", "/other"), 405);
  assert.equal(await statusOf(fastify(), "/notes/1;x", "/notes/1"), 200);
});

test("kit reads repeated slashes as one slash if Fastify does", async () => {
  const options = { routerOptions: { ignoreDuplicateSlashes: true } };
  assert.equal(await statusOf(fastify(options), "//notes///1?x=//", "/notes/:id"), 401);
  assert.equal(await statusOf(fastify(options), "//notes///1?x=//", "/other"), 200);
  assert.equal(await statusOf(fastify(), "//notes/1", "/other"), 404);
});

test("a final slash does not bypass a route of the Fastify instance", async () => {
  assert.equal(await statusOf(fastify(), "/notes/1/", "/notes/1"), 401);
  assert.equal(
    await statusOf(fastify({ routerOptions: { ignoreTrailingSlash: true } }), "/notes/1/", "/notes/1"),
    401,
  );
  assert.equal(await statusOf(fastify(), "/notes/1/", "/other"), 200);
});

test("a parameter that is too long for Fastify does not bypass a route of the Fastify instance", async () => {
  const long = `/notes/${"a".repeat(101)}`;
  assert.equal(await statusOf(fastify(), long, "/notes/:id"), 414);
  assert.equal(await statusOf(fastify(), long, "/other"), 200);
  assert.equal(await statusOf(fastify({ routerOptions: { maxParamLength: 200 } }), long, "/notes/:id"), 401);
});

test("a content type that Fastify refuses does not bypass the hook `preHandler`", async () => {
  const app = fastify();
  app.addHook("preHandler", (_request, reply) => reply.code(401).send("no"));
  await using served = await serve(fastifyServer({ app }));
  const post = (target: string, type: string): Promise<string> =>
    raw(
      served.port,
      `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: 2\r\n\r\n{}`,
    );
  assert.match(await post("/notes", "application/json"), /^HTTP\/1.1 401 /);
  assert.match(await post("/notes", ";"), /^HTTP\/1.1 415 [^]*UNSUPPORTED_MEDIA_TYPE/);
  assert.match(await post("/nowhere", ";"), /^HTTP\/1.1 404 /);
});
