// Tests middleware that tries to respond, on every server: the request fails, and the log tells the developer
// what to do.

import assert from "node:assert/strict";
import { test } from "node:test";

import { type AnyMiddleware, createApp, type LogEntry } from "@kit/core";

import { compiled, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

const program = compiled(
  route("GET /page", { response: responseOf("Page", { page: "string" }), middleware: ["gate"] }),
);

const answers: readonly (readonly [what: string, expectedMessage: RegExp, middleware: AnyMiddleware])[] = [
  [
    "ctx.send",
    /returned the result of ctx\.send, .* only a handler can return a response/,
    ({ ctx }) => ctx.send("no") as never,
  ],
  [
    "a Response",
    /returned a Response, .* only a handler can return a response/,
    () => new Response("no") as never,
  ],
  ["a text", /returned a string, .* refuse the request with ctx\.fail/, () => "no" as never],
  ["false", /returned a boolean, .* refuse the request with ctx\.fail/, async () => false as never],
];

notInRust("middleware that answers", "the type of a middleware's result says what it may return");

for (const [name, make] of servers) {
  for (const [what, expectedMessage, middleware] of answers) {
    test(`${name}: responds with 500 and logs an error if middleware returns ${what}`, async () => {
      const log: LogEntry[] = [];
      let isReached = false;
      const handler = (): object => {
        isReached = true;
        return { page: "secret" };
      };
      const app = createApp({
        server: make(),
        env: "production",
        signals: false,
        compiled: program,
        plugins: [{ name: "log", onLog: (entry) => void log.push(entry) }],
        middleware: [{ name: "gate", middleware, priority: 1 }],
        routes: [{ handlers: { "GET /page": handler } }],
      });
      const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/page`);
        assert.equal(answer.status, 500);
        assert.doesNotMatch(await answer.text(), /secret|gate/);
        assert.equal(isReached, false);
        const entry = log.find(({ level }) => level === "error");
        assert.match(entry!.message, /^The middleware gate returned /);
        assert.match(entry!.message, expectedMessage);
      } finally {
        await app.close({ graceMs: 0 });
      }
    });
  }
}
