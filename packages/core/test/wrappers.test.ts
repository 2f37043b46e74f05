import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { describe, it } from "node:test";

import {
  type AnyWrapper,
  createApp,
  defineMiddleware,
  defineWrapper,
  type LogEntry,
  type PassedAnswer,
  type Reply,
} from "@kit/core";
import type { CompiledRoute } from "@kit/types";

import { compiled, headerWriterOf, paramsOf, responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { errorOf, serve, type TestHandler } from "./support/serve.ts";

const thing = route("GET /things/:id", {
  params: paramsOf("ThingId", { id: "number" }),
  response: responseOf("Thing", { id: "number" }),
  status: 200,
});
const replies = {
  202: {
    body: responseOf("Job", { job: "number" }),
    headers: headerWriterOf("JobHeaders", { "retry-after": "number?" }),
  },
  304: { body: null, headers: null },
};
type Job = Reply<202, { job: number }, { "retry-after"?: number }> | Reply<304>;

/** Serves `GET /things/:id` with these wrappers, the first one outermost. Each may reply with 202 and 304. */
function wrapped(
  wrappers: Readonly<Record<string, AnyWrapper>>,
  handler: TestHandler = ({ params }) => ({ id: params["id"] }),
  options: Parameters<typeof serve>[1] = {},
  of: CompiledRoute = thing,
) {
  const names = Object.keys(wrappers);
  const middleware = names.map((name, priority) => ({ name, middleware: wrappers[name]!, priority }));
  const built = {
    ...of,
    middleware: names,
    wrappers: Object.fromEntries(names.map((name) => [name, replies])),
  };
  return serve([[built, handler]], { middleware, logLevel: "info", ...options });
}

function messages(log: readonly LogEntry[]): string[] {
  return log.map(({ level, message }) => `${level} ${message}`);
}

const settingCookie: TestHandler = ({ ctx }) => {
  ctx.cookie("b", "2", { secure: false });
  return { id: 1 };
};

/** Middleware in the style of Express. */
const express = (_input: unknown, next: () => unknown): unknown => next();

/** Returns the error of a start with one middleware. Empty if the application starts. */
async function startError(built: CompiledRoute, middleware: unknown): Promise<string> {
  const app = createApp({
    env: "production",
    signals: false,
    logging: { level: "fatal" },
    server: new MemoryServer(),
    compiled: compiled(built),
    middleware: [{ name: "w", middleware, priority: 0 }] as never,
    routes: [{ handlers: { [built.ref]: () => ({ id: 1 }) } as never }],
  });
  return app.listen({ port: 0 }).then(
    () => "",
    (error: unknown) => String(error),
  );
}

describe("a wrapper", () => {
  it("runs around later middleware and the handler, in the order of priority", async () => {
    const order: string[] = [];
    const noting = (name: string): AnyWrapper =>
      defineWrapper(async (_input, next) => {
        order.push(`${name} begins`);
        const answer = await next();
        order.push(`${name} ends`);
        return answer;
      });
    const { send } = await wrapped({ outer: noting("outer"), inner: noting("inner") }, () => {
      order.push("handler");
      return { id: 1 };
    });
    assert.equal((await send("GET /things/1")).text, '{"id":1}');
    assert.deepEqual(order, ["outer begins", "inner begins", "handler", "inner ends", "outer ends"]);
  });

  it("receives the method, the path, the parameters and the headers of the request", async () => {
    const seen: unknown[] = [];
    const looking = defineWrapper(({ method, path, params, headers, ctx }, next) => {
      seen.push(method, path, { ...params }, headers["x-a"], ctx.route);
      return next();
    });
    const { send } = await wrapped({ looking });
    await send("GET /things/7?a=1", { headers: { "x-a": "b" } });
    assert.deepEqual(seen, ["GET", "/things/7", { id: "7" }, "b", "GET /things/:id"]);
  });

  it("sees the status that the handler set, the value of the handler, and its headers in any case", async () => {
    let seen: unknown[] = [];
    const passing = defineWrapper(async (_input, next) => {
      const answer = await next();
      const { headers } = answer;
      headers.set("X-B", ["1", "2"]);
      seen = [answer.status, answer.body, headers.get("X-Inner"), headers.get("x-none"), headers.get("x-B")];
      headers.delete("x-INNER");
      return answer;
    });
    const { send } = await wrapped({ passing }, ({ ctx }) => {
      ctx.status(203).header("x-inner", "1").header("content-type", "application/hal+json");
      return { id: 4, secret: 1 };
    });
    const { status, headers, contentType, text } = await send("GET /things/1");
    assert.deepEqual(seen, [203, { id: 4, secret: 1 }, "1", null, "1, 2"]);
    assert.deepEqual([status, contentType, text], [203, "application/hal+json", '{"id":4}']);
    assert.deepEqual(headers, ["x-b", "1", "x-b", "2"]);
  });

  it("passes the result of ctx.send on", async () => {
    let status: number | undefined;
    const passing = defineWrapper(async (_input, next) => {
      const answer = await next();
      ({ status } = answer);
      return answer;
    });
    const empty = route("GET /things", { status: 204 });
    const { send } = await wrapped({ passing }, ({ ctx }) => ctx.send("text"), {}, empty);
    const answer = await send("GET /things");
    assert.deepEqual([status, answer.status, answer.text], [200, 200, "text"]);
  });

  it("cancels the stream of an answer that its reply replaces", async () => {
    let cancelled: unknown;
    const stream = new ReadableStream<Uint8Array>({ cancel: (reason) => void (cancelled = reason) });
    const replacing = defineWrapper<{ replies: Job }>(async ({ reply }, next) => {
      await next();
      return reply(202, { job: 1 });
    });
    const { send } = await wrapped({ replacing }, ({ ctx }) => ctx.send(stream));
    assert.deepEqual(
      [(await send("GET /things/1")).status, String(cancelled)],
      [202, "Error: A wrapper replaced this response"],
    );
  });

  it("replies with its own status, although the handler or middleware set one", async () => {
    const replying = defineWrapper<{ replies: Job }>(async ({ reply }, next) => {
      await next();
      return reply(202, { job: 1 }, { "retry-after": 3 });
    });
    const { send } = await wrapped({ replying }, ({ ctx }) => {
      ctx.status(207).header("x-inner", "1").cookie("a", "1");
      return { id: 1 };
    });
    const { status, headers, text } = await send("GET /things/1");
    assert.deepEqual([status, headers, text], [202, ["retry-after", "3"], '{"job":1}']);
  });

  it("replaces a cookie that the wrapped code set, and keeps cookies that were set before", async () => {
    const before = defineMiddleware(({ ctx }) => void ctx.cookie("a", "1", { secure: false }));
    const setting = defineWrapper(async ({ ctx }, next) => {
      const answer = await next();
      ctx.cookie("b", "3", { secure: false });
      return answer;
    });
    const built = { ...thing, middleware: ["before", "setting"], wrappers: { setting: {} } };
    const { send } = await serve([[built, settingCookie]], {
      middleware: [
        { name: "before", middleware: before, priority: 0 },
        { name: "setting", middleware: setting, priority: 1 },
      ],
    });
    const { headers } = await send("GET /things/1");
    const cookies = headers.filter((_, index) => index % 2 === 1).map((line) => line.split(";")[0]);
    assert.deepEqual(cookies, ["a=1", "b=3"]);
  });

  it("may return before `next` ends, and later failures are only logged", async () => {
    const hasty = defineWrapper<{ replies: Job }>(({ reply }, next) => {
      void next();
      return reply(202, { job: 9 });
    });
    const { promise: end, reject } = Promise.withResolvers<never>();
    const { send, log } = await wrapped({ hasty }, ({ ctx }) => {
      ctx.header("x-inner", "1");
      return end;
    });
    const { status, headers } = await send("GET /things/1");
    assert.deepEqual([status, headers], [202, []]);
    reject(new Error("too late"));
    await setImmediate();
    assert.deepEqual(messages(log), [
      "warn A handler or middleware failed after the response was sent; its result is discarded",
    ]);
  });

  it("receives the reason of a timeout from `next`, and the request is answered once", async () => {
    let caught: unknown;
    const waiting = defineWrapper(async (_input, next) => {
      try {
        return await next();
      } catch (error) {
        caught = error;
        throw error;
      }
    });
    const { promise: end, resolve } = Promise.withResolvers<object>();
    const { send, log } = await wrapped({ waiting }, () => end, { requestTimeoutMs: 20 });
    const answer = await send("GET /things/1");
    assert.deepEqual([answer.status, errorOf(answer)["code"]], [503, "REQUEST_TIMEOUT"]);
    resolve({ id: 1 });
    await setImmediate();
    assert.match(String(caught), /longer than 20 ms/);
    assert.deepEqual(messages(log), [
      "error The request took longer than 20 ms",
      "warn A handler or middleware failed after the response was sent; its result is discarded",
    ]);
  });

  it("does not call the handler if the request was answered while the wrapper waited", async () => {
    let calls = 0;
    const { promise: begin, resolve } = Promise.withResolvers<void>();
    const slow = defineWrapper(async (_input, next) => {
      await begin;
      return next();
    });
    const handler = (): { id: number } => ({ id: (calls += 1) });
    const { send } = await wrapped({ slow }, handler, { requestTimeoutMs: 20 });
    assert.equal((await send("GET /things/1")).status, 503);
    resolve();
    await setImmediate();
    assert.equal(calls, 0);
  });

  it("logs an invalid request as a refusal, and an error of the wrapper as an error", async () => {
    const masking = defineWrapper(async ({ ctx, headers }, next) => {
      try {
        return await next();
      } catch (error) {
        if (headers["x-mask"] === undefined) throw error;
        return ctx.fail(500, "MASKED", "masked");
      }
    });
    const { send, log } = await wrapped({ masking });
    assert.equal(errorOf(await send("GET /things/x"))["code"], "VALIDATION_ERROR");
    const masked = await send("GET /things/x", { headers: { "x-mask": "1" } });
    assert.deepEqual([masked.status, errorOf(masked)["code"]], [500, "MASKED"]);
    assert.deepEqual(
      log.map(({ level }) => level),
      ["warn", "error"],
    );
  });

  it("responds with 500 if it returns the answer of another request", async () => {
    let first: PassedAnswer | undefined;
    const mixing = defineWrapper(async (_input, next) => (first ??= await next()));
    const { send, log } = await wrapped({ mixing });
    assert.equal((await send("GET /things/1")).status, 200);
    assert.equal((await send("GET /things/1")).status, 500);
    assert.match(log[0]!.message, /the wrapper mixing returned the answer of another request or wrapper/);
  });

  it("responds with 500 and names the wrapper if it returns nothing, an undeclared reply or the result of ctx.send", async () => {
    const results: Record<string, (input: object) => unknown> = {
      send: (input) => (input as { ctx: { send(text: string): unknown } }).ctx.send("text"),
      nothing: () => undefined,
      response: () => new Response(),
      undeclared: (input) => (input as { reply(status: number): unknown }).reply(303),
    };
    let current = "";
    const wrong = defineWrapper((input) => results[current]!(input) as never);
    const { send, log } = await wrapped({ wrong });
    for (current of Object.keys(results)) assert.equal((await send("GET /things/1")).status, 500, current);
    assert.deepEqual(
      log.map(({ message }) => message.replace("GET /things/:id: the wrapper wrong ", "")),
      [
        "returned the result of ctx.send; it must return the answer of next(), or reply(status, …)",
        "returned nothing; it must return the answer of next(), or reply(status, …)",
        "returned a Response; it must return the answer of next(), or reply(status, …)",
        "declares no reply with the status 303, but replies with 202, 304. Reply with one of these, or add a Reply to the wrapper wrong and run `kit build`",
      ],
    );
  });

  it("responds with 500 in development if its reply breaks the declared types", async () => {
    const wrong = defineWrapper<{ replies: Job }>(({ reply }) => reply(202, { job: "1" as never }));
    const { send, log } = await wrapped({ wrong }, undefined, { env: "development" });
    assert.equal((await send("GET /things/1")).status, 500);
    assert.match(log[0]!.message, /a reply 202 with a body that is not a valid Job/);
  });

  it("drops the answer of `next` if it returns something else, and the 500 keeps the headers of earlier middleware", async () => {
    let cancelled: unknown;
    const stream = new ReadableStream<Uint8Array>({ cancel: (reason) => void (cancelled = reason) });
    let other: PassedAnswer | undefined;
    const mixing = defineWrapper(async ({ ctx }, next) => {
      ctx.header("x-before", "1");
      const answer = await next();
      const first = other;
      other = answer;
      return first ?? answer;
    });
    let body: unknown = { id: 1 };
    const { send } = await wrapped({ mixing }, ({ ctx }) => (body === stream ? ctx.send(stream) : body));
    assert.equal((await send("GET /things/1")).status, 200);
    body = stream;
    const { status, headers } = await send("GET /things/1");
    assert.deepEqual(
      [status, headers, String(cancelled)],
      [500, ["x-before", "1"], "Error: A wrapper replaced this response"],
    );
  });

  it("logs an error of `next` if it does not wait for `next`, even before the response", async () => {
    const hasty = defineWrapper<{ replies: Job }>(({ reply }, next) => {
      void next();
      return reply(304);
    });
    const slow = defineWrapper(async (_input, next) => {
      const answer = await next();
      await setImmediate();
      return answer;
    });
    const { send, log } = await wrapped({ slow, hasty }, () => Promise.reject(new Error("lost")));
    assert.equal((await send("GET /things/1")).status, 304);
    assert.deepEqual(messages(log), [
      "warn the wrapper hasty did not wait for next, which failed; the error is discarded",
    ]);
  });

  it("adds properties to ctx under the same rules as other middleware", async () => {
    const adding = defineWrapper<{ adds: { user: string } }>((_input, next) => next({ user: "u" }));
    const spoiling = defineWrapper((_input, next) =>
      (next as unknown as (added: object) => never)({ route: "x" }),
    );
    const { send } = await wrapped({ adding }, ({ ctx }) => ({ id: String(ctx["user"]).length }));
    assert.equal((await send("GET /things/1")).text, '{"id":1}');
    const { send: spoilt, log } = await wrapped({ spoiling });
    assert.equal((await spoilt("GET /things/1")).status, 500);
    assert.match(log[0]!.message, /middleware spoiling adds `route`/);
  });
});

describe("the start with wrappers", () => {
  const passing = defineWrapper((_input, next) => next());

  it("fails if a middleware is a wrapper only in the program or only in the build", async () => {
    assert.match(
      await startError({ ...thing, middleware: ["w"] }, passing),
      /GET \/things\/:id: the middleware w is a wrapper, but the build does not know this\. Annotate it as `Wrapper</,
    );
    assert.match(
      await startError({ ...thing, middleware: ["w"], wrappers: { w: {} } }, () => undefined),
      /the middleware w is a wrapper in the build, but not in the application/,
    );
  });

  it("refuses a plain function with the parameter `next`, and names defineWrapper", () => {
    assert.throws(
      () => createApp({ server: new MemoryServer(), middleware: [express as never], routes: [] }),
      /Create a middleware that calls `next` with defineWrapper/,
    );
    assert.throws(() => defineWrapper({} as never), /defineWrapper: the argument must be a function/);
  });
});
