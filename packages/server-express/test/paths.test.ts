// Requests that try to reach a handler of kit without passing Express's middleware. All of them must fail.

import assert from "node:assert/strict";
import { test } from "node:test";

import express, { type Express, type RequestHandler } from "express";

import { createApp, type HandlerInput } from "@kit/core";
import type { RouteContract } from "@kit/types";

import { compiled, paramsOf, responseOf, route } from "../../core/test/support/compiled.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { raw, serve } from "../../server-node/test/support.ts";
import { expressServer } from "../src/index.ts";

quietStdout();

const deny: RequestHandler = (_request, response) => void response.status(401).send("no");

const withParser = (): Express => express().use(express.json(), deny);
const withPrefix = (): Express => express().use("/notes", deny);
/** Returns the headers and the body of a request with malformed content of the given type. */
const bad = (type: string): string => `Content-Type: ${type}\r\nContent-Length: 1\r\n\r\n{`;

/** Sends a request with the given request line and returns the response. */
async function answerOf(app: Express, line: string, more = ""): Promise<string> {
  await using served = await serve(expressServer({ app }));
  return raw(served.port, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more || "\r\n"}`);
}

test("a final slash does not bypass routes of an application with strict routing", async () => {
  const strict = express().enable("strict routing") as Express;
  assert.match(await answerOf(strict.all("/notes/1", deny), "GET /notes/1/"), /^HTTP\/1.1 401 /);
  const router = express.Router({ strict: true }).all("/notes/1", deny);
  const nested = express.Router().use(router);
  assert.match(await answerOf(express().use(nested), "GET /notes/1/"), /^HTTP\/1.1 401 /);
  assert.match(await answerOf(express().all("/notes/1", deny), "GET /notes/1/"), /^HTTP\/1.1 401 /);
});

test("a rest parameter of kit keeps the final slash that was removed for an application with strict routing", async () => {
  const program = compiled(
    route("GET /files/*path", {
      params: paramsOf("FilePath", { path: "string" }),
      response: responseOf("File", { path: "string" }),
    }),
  );
  for (const app of [express(), express().enable("strict routing") as Express]) {
    const application = createApp({
      server: expressServer({ app }),
      env: "production",
      signals: false,
      compiled: program,
      routes: [
        {
          handlers: {
            "GET /files/*path": ({ ctx }: HandlerInput<RouteContract>) => ({ path: ctx.rawWildcard }),
          },
        },
      ],
    });
    const { url } = await application.listen({ port: 0, host: "127.0.0.1" });
    for (const path of ["a", "a/", "a%2Fb/"]) {
      const answer = await fetch(`${url}/files/${path}?q=/`);
      assert.deepEqual(await answer.json(), { path });
    }
    await application.close({ graceMs: 0 });
  }
});

test("a body that a body parser refuses does not bypass the middleware after the parser", async () => {
  assert.match(
    await answerOf(withParser(), "GET /notes/1", bad("application/json")),
    /^HTTP\/1.1 400 [^]*"error":\{/,
  );
  assert.match(
    await answerOf(withParser(), "GET /notes/1", bad("application/json; charset=x")),
    /^HTTP\/1.1 415 [^]*"error":\{/,
  );
  assert.match(
    await answerOf(withParser(), "POST /notes", bad("application/json")),
    /^HTTP\/1.1 400 [^]*VALIDATION_ERROR/,
  );
  assert.match(await answerOf(withParser(), "GET /nowhere", bad("application/json")), /^HTTP\/1.1 404 /);
});

test("middleware sees paths in the normal form, as kit does", async () => {
  for (const path of [
    "/%6eotes/1",
    "/NOTES/1",
    "/n%4Ftes/1",
    "//a/../notes/1",
    "/notes%2f1",
    "/not%65s/1?x=\\",
  ]) {
    assert.doesNotMatch(await answerOf(withPrefix(), `GET ${path}`), /^HTTP\/1.1 [23]/, path);
  }
});
