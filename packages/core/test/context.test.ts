import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";

import { defineMiddleware, type RequestContext } from "@kit/core";
import { paramsOf, responseOf, route } from "./support/compiled.ts";
import { errorOf, serve } from "./support/serve.ts";

const get = route("GET /things/:id", {
  params: paramsOf("Id", { id: "string" }),
  response: responseOf("Thing", { id: "string?" }),
});

/** Sends one request and returns the result of `look` in its handler. */
async function see<T>(look: (ctx: RequestContext) => T, headers: Record<string, string> = {}): Promise<T> {
  let result: { value: T } | undefined;
  const { send } = await serve([
    [
      get,
      ({ ctx }) => {
        result = { value: look(ctx) };
        return {};
      },
    ],
  ]);
  const answer = await send("GET /things/1?q=2", { headers });
  assert.ok(result, answer.text ?? "");
  return result.value;
}

describe("ctx", () => {
  it("has the method, path, route and client address of the request", async () => {
    const request = await see(({ method, path, route: ref, ip }) => ({ method, path, ref, ip }));
    assert.deepEqual(request, { method: "GET", path: "/things/1", ref: "GET /things/:id", ip: "192.0.2.7" });
  });

  it("has the percent-encoded path that a wildcard matches, with its trailing slash", async () => {
    const wildcards: (string | undefined)[] = [];
    const wildcard = route("GET /files/:owner/*path", {
      params: paramsOf("FilePath", { owner: "string", path: "string" }),
      middleware: ["look"],
    });
    const { send } = await serve([[wildcard, ({ ctx }) => void wildcards.push(ctx.rawWildcard)]], {
      middleware: [
        { name: "look", middleware: ({ ctx }) => void wildcards.push(ctx.rawWildcard), priority: 0 },
      ],
    });
    for (const path of ["a", "a/", "a/b", "a%2Fb", "a%2fb//c/", "%61"])
      await send(`GET /files/a%2Fb/${path}?q=/`);
    const each = ["a", "a/", "a/b", "a%2Fb", "a%2Fb//c/", "a"];
    assert.deepEqual(
      wildcards,
      each.flatMap((raw) => [raw, raw]),
    );
    assert.equal(await see((ctx) => ctx.rawWildcard), undefined);
  });

  it("has the trace id of a valid traceparent header, or a random one", async () => {
    const own = await see((ctx) => [ctx.traceId, ctx.traceId, ctx.requestId]);
    assert.match(own[0]!, /^[0-9a-f]{32}$/);
    assert.equal(own[0], own[1]);
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const valid = [`00-${trace}-00f067aa0ba902b7-01`, `01-${trace}-00f067aa0ba902b7-01-more`];
    for (const traceparent of valid) assert.equal(await see((ctx) => ctx.traceId, { traceparent }), trace);
    const invalid = [
      `00-${trace}-0000000000000000-01`,
      `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
      `ff-${trace}-00f067aa0ba902b7-01`,
      `00-${trace}-00f067aa0ba902b7-01-more`,
      `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
      "",
    ];
    for (const traceparent of invalid) {
      assert.notEqual(await see((ctx) => ctx.traceId, { traceparent }), trace, traceparent);
    }
  });

  it("has request headers that behave as an ordinary object", async () => {
    await see(
      ({ headers }) => {
        assert.equal(headers["x-a"], "1");
        assert.equal(headers["X-A"], "1");
        assert.equal(headers["constructor"], undefined);
        assert.ok("x-a" in headers && !("x-b" in headers));
        assert.deepEqual({ ...headers }, { "x-a": "1", accept: "*/*" });
        assert.equal(JSON.stringify(headers), '{"x-a":"1","accept":"*/*"}');
        assert.equal(inspect(headers), "{ 'x-a': '1', accept: '*/*' }");
        assert.throws(() => Object.assign(headers, { a: "b" }), /cannot be changed/);
      },
      { "x-a": "1", accept: "*/*" },
    );
  });

  it("aborts its signal if the client disconnects before the response", async () => {
    let leave: (() => void) | undefined;
    const { send } = await serve([
      [
        get,
        ({ ctx }) =>
          new Promise((resolve) => {
            ctx.signal.addEventListener("abort", () => resolve({ id: String(ctx.signal.reason) }));
            leave!();
          }),
      ],
    ]);
    const answer = await send("GET /things/1", { client: (go) => (leave = go) });
    assert.match(answer.text ?? "", /client disconnected/);
  });

  it("replaces a response header that is set again, and adds set-cookie values", async () => {
    const { send } = await serve([
      [
        get,
        ({ ctx }) => {
          ctx.header("X-One", "1").header("x-one", ["2", "3"]);
          ctx.header("set-cookie", "a=1").header("Set-Cookie", "b=2");
          ctx.header("content-type", "application/hal+json");
          return {};
        },
      ],
    ]);
    const { headers, contentType } = await send("GET /things/1");
    assert.deepEqual(headers, ["x-one", "2", "x-one", "3", "set-cookie", "a=1", "set-cookie", "b=2"]);
    assert.equal(contentType, "application/hal+json");
  });

  it("causes a 500 response if a response header or status is invalid", async () => {
    const calls: ((ctx: RequestContext) => unknown)[] = [
      (ctx) => ctx.header("x", "a\r\nset-cookie: b=1"),
      (ctx) => ctx.header("x", "a\0"),
      (ctx) => ctx.header("x", "é"),
      (ctx) => ctx.header("x y", "a"),
      (ctx) => ctx.header("", "a"),
      (ctx) => ctx.header("Content-Length", "3"),
      (ctx) => ctx.header("transfer-encoding", "chunked"),
      (ctx) => ctx.header("x", 1 as never),
      (ctx) => ctx.header("x", ["a", {} as never]),
      (ctx) => ctx.header("content-type", []),
      (ctx) => ctx.status(101),
      (ctx) => ctx.status(600),
      (ctx) => ctx.status(Number.NaN),
      (ctx) => ctx.status("200" as never),
    ];
    for (const call of calls) {
      const { send } = await serve([[get, ({ ctx }) => call(ctx)]]);
      const answer = await send("GET /things/1");
      assert.equal(answer.status, 500, String(call));
      assert.deepEqual(answer.headers, [], String(call));
    }
  });

  it("keeps its ids after the response, and a later disconnect does not abort its signal", async () => {
    let late: RequestContext | undefined;
    const { send } = await serve([[get, ({ ctx }) => ((late = ctx), {})]]);
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await send("GET /things/1", { headers: { traceparent } });
    assert.equal(late!.traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
    assert.equal(late!.signal.aborted, false);
    await send("GET /things/1");
    assert.match(late!.traceId, /^[0-9a-f]{32}$/);
  });

  it("has empty headers and an empty address after the response, and logs a warning instead of throwing", async () => {
    let late: RequestContext | undefined;
    const { send, log } = await serve([[get, ({ ctx }) => ((late = ctx), {})]], { logLevel: "info" });
    await send("GET /things/1", { headers: { accept: "*/*" } });
    assert.equal(late!.headers["accept"], undefined);
    assert.deepEqual({ ...late!.headers }, {});
    assert.equal(late!.ip, "");
    assert.deepEqual(
      log.map(({ message }) => message),
      ["headers", "headers", "ip"].map(
        (name) => `ctx.${name} was read after the response was sent and is empty`,
      ),
    );
  });

  it("keeps its headers after the response if all of them were read before the response", async () => {
    let late: RequestContext | undefined;
    const read = ({ ctx }: { ctx: RequestContext }) => ((late = ctx), Object.keys(ctx.headers), {});
    const { send } = await serve([[get, read]]);
    await send("GET /things/1", { headers: { accept: "*/*" } });
    assert.equal(late!.headers["accept"], "*/*");
  });

  it("logs a warning if status or header is called after the response", async () => {
    let late: RequestContext | undefined;
    const { send, log } = await serve([[get, ({ ctx }) => ((late = ctx), {})]], { logLevel: "info" });
    await send("GET /things/1");
    late!.status(201).header("a", "b");
    assert.deepEqual(
      log.map(({ message }) => message),
      ["status", "header"].map(
        (name) => `ctx.${name} was called after the response was sent and has no effect`,
      ),
    );
  });
});

const chained = (...names: string[]) => ({ ...get, middleware: names });
const entry = (
  name: string,
  middleware: Parameters<typeof defineMiddleware<object | void>>[0],
  priority = 0,
) => ({
  name,
  middleware,
  priority,
});

describe("middleware", () => {
  it("adds properties to ctx, synchronously or asynchronously, in order of priority", async () => {
    let context: object = {};
    const { send } = await serve(
      [[chained("first", "second", "third"), ({ ctx }) => ((context = { ...ctx }), {})]],
      {
        middleware: [
          entry("third", async ({ ctx }) => ({ names: Object.keys(ctx) }), 10),
          entry("first", () => ({ a: 1, b: 1 }), -5),
          entry("second", ({ params }) => Promise.resolve({ b: 2, c: { ...params } }), 3),
        ],
      },
    );
    assert.equal((await send("GET /things/a%2Fb")).status, 200);
    assert.deepEqual(context, { a: 1, b: 2, c: { id: "a/b" }, names: ["a", "b", "c"] });
  });

  it("refuses a request by throwing, before the request is validated", async () => {
    const refuse = defineMiddleware(({ ctx }) => ctx.fail(401, "UNAUTHORIZED", "Who are you?"));
    for (const middleware of [refuse, async (...args: Parameters<typeof refuse>) => refuse(...args)]) {
      const { send } = await serve([[chained("auth"), () => assert.fail("the handler ran")]], {
        middleware: [entry("auth", middleware)],
      });
      const answer = await send("GET /things/1");
      assert.equal(answer.status, 401);
      assert.equal(errorOf(answer)["message"], "Who are you?");
    }
  });

  it("causes a 500 response if it replaces a property of ctx or returns a value that is not a plain object", async () => {
    const bad: [unknown, RegExp][] = [
      [{ log: 1 }, /adds `log`/],
      [{ span: 1 }, /adds `span`/],
      [{ constructor: 1 }, /adds `constructor`/],
      [JSON.parse('{"__proto__":1}'), /adds `__proto__`/],
      ["text", /returned a string/],
      [null, /returned null/],
      [[1], /returned an array/],
    ];
    for (const [added, message] of bad) {
      const { send } = await serve([[chained("odd"), () => ({})]], {
        env: "development",
        middleware: [entry("odd", () => added as object)],
      });
      const answer = await send("GET /things/1");
      assert.equal(answer.status, 500);
      assert.match(String(errorOf(answer)["message"]), message);
      assert.equal(errorOf(answer)["phase"], "middleware:odd");
    }
  });
});
