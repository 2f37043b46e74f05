import assert from "node:assert/strict";
import { test } from "node:test";

import { type App, createApp, type LogEntry, type RequestContext } from "@kit/core";

import { compiled, responseOf, route } from "../../core/test/support/compiled.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { nativeServer } from "../src/index.ts";

quietStdout();

const text = responseOf("Text", { text: "string" });
const traceId = "0af7651916cd43dd8448eb211c80319c";
const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly log: readonly LogEntry[];
  readonly statuses: readonly (number | undefined)[];
}

/**
 * Starts an application with two routes: `handler` serves GET /text, and the serializer of GET /broken returns a value
 * that is not a string.
 */
async function application(handler: (ctx: RequestContext) => unknown): Promise<Served> {
  const log: LogEntry[] = [];
  const statuses: (number | undefined)[] = [];
  const app: App = createApp({
    server: nativeServer(),
    env: "production",
    signals: false,
    compiled: compiled(
      route("GET /text", { response: text }),
      route("GET /broken", { response: { ...text, serialize: () => ({}) as string } }),
    ),
    logging: { level: "error" },
    plugins: [
      {
        name: "log",
        onLog: (entry) => log.push(entry),
        onLifecycle: (trace) => statuses.push(trace.lifecycle.at(-1)?.status),
      },
    ],
    routes: [
      {
        handlers: {
          "GET /text": ({ ctx }: { ctx: RequestContext }) => handler(ctx),
          "GET /broken": () => ({ text: "hi" }),
        },
      },
    ],
  });
  const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { url, log, statuses, [Symbol.asyncDispose]: () => app.close() };
}

async function assertFailed(app: Served, path: string, message: RegExp): Promise<void> {
  const response = await fetch(app.url + path, { headers, signal: AbortSignal.timeout(5000) });
  assert.deepEqual(
    [response.status, response.headers.get("x-b"), await response.json()],
    [500, null, { error: { code: "INTERNAL_SERVER_ERROR", message: "Internal Server Error", traceId } }],
  );
  const errors = app.log.filter(({ level }) => level === "error");
  assert.equal(errors.length, 1, JSON.stringify(errors));
  assert.match(errors[0]!.message, message);
  assert.equal(errors[0]!.traceId, traceId);
  assert.deepEqual(app.statuses, [500]);
}

test("responds with a single 500 if a handler sets a header value with a line break", async () => {
  await using app = await application((ctx) => {
    ctx.header("x-a", "1\r\nx-b: 2");
    return { text: "hi" };
  });
  await assertFailed(app, "/text", /x-a/);
});

test("responds with a single 500 and logs an error if the server refuses a header that kit accepts", async () => {
  await using app = await application(async (ctx) => {
    await Promise.resolve();
    ctx.header("x".repeat(70_000), "1");
    return { text: "hi" };
  });
  await assertFailed(app, "/text", /could not be sent/);
});

test("responds with a single 500 and logs an error if a serializer returns a value that is not a string", async () => {
  await using app = await application(() => ({ text: "hi" }));
  await assertFailed(app, "/broken", /could not be sent/);
});

test("sends an error without its headers if these cannot be written", async () => {
  await using app = await application((ctx) => {
    ctx.header("x".repeat(70_000), "1");
    throw new Error("no database");
  });
  const response = await fetch(`${app.url}/text`, { headers, signal: AbortSignal.timeout(5000) });
  assert.equal(response.status, 500);
  assert.match(await response.text(), new RegExp(`"traceId":"${traceId}"`));
  assert.deepEqual(
    app.log.filter(({ level }) => level === "error").map(({ message }) => message),
    ["no database", "The response could not be sent"],
  );
});
