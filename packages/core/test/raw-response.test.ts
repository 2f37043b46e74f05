import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { type AppOptions, createApp, type LifecycleTrace, type RequestContext } from "@kit/core";
import { compiled, responseOf, route } from "./support/compiled.ts";
import { MemoryServer, StreamClient } from "./support/memory-server.ts";
import { errorOf, serve, type Served } from "./support/serve.ts";

const file = route("GET /file", { response: responseOf("Note", { id: "string" }) });
const nothing = route("GET /nothing");

type Answering = (ctx: RequestContext) => unknown;

/** Serves a handler, and records the calls of plugin hooks. */
async function serving(handler: Answering, options: Parameters<typeof serve>[1] = {}) {
  const traces: LifecycleTrace[] = [];
  const errors: unknown[] = [];
  const plugin = {
    name: "p",
    onLifecycle: (trace: LifecycleTrace) => void traces.push(trace),
    onError: (error: unknown) => void errors.push(error),
  };
  const served: Served = await serve(
    [
      [file, ({ ctx }) => handler(ctx)],
      [nothing, ({ ctx }) => handler(ctx)],
    ],
    { logLevel: "info", plugins: [plugin], ...options },
  );
  return { ...served, traces, errors };
}

async function* letters(): AsyncGenerator<string> {
  for (const letter of ["a", "b", "", "c"]) yield letter;
}

async function* failing(): AsyncGenerator<string> {
  yield "half";
  throw new Error("disk on fire");
}

describe("ctx.send", () => {
  it("sends strings and bytes in place of the response that the contract declares", async () => {
    const { send } = await serving((ctx) => ctx.send("id;title\n", { contentType: "text/csv" }));
    assert.deepEqual(await send("GET /file"), {
      status: 200,
      contentType: "text/csv",
      text: "id;title\n",
      headers: [],
    });
    const bytes = await serving(async (ctx) => ctx.status(206).send(new Uint8Array([104, 105])), {
      env: "development",
    });
    const answer = await bytes.send("GET /file");
    assert.deepEqual(
      [answer.status, answer.contentType, answer.text],
      [206, "application/octet-stream", "hi"],
    );
    const text = await serving((ctx) => ctx.send("x"));
    assert.equal((await text.send("GET /file")).contentType, "text/plain; charset=utf-8");
    const header = await serving((ctx) => ctx.header("content-type", "text/html").send("x"));
    assert.equal((await header.send("GET /file")).contentType, "text/html");
  });

  it("sends 200 if the contract has no response, and no body if the status allows none", async () => {
    const { send } = await serving((ctx) => ctx.send("x"));
    assert.equal((await send("GET /nothing")).status, 200);
    let cancelled = 0;
    const stream = (): ReadableStream<string> => new ReadableStream({ cancel: () => void (cancelled += 1) });
    const none = await serving((ctx) => ctx.status(304).send(stream()));
    assert.equal((await none.send("GET /file", { stream: new StreamClient() })).text, null);
    assert.equal(cancelled, 1);
  });

  it("streams an async generator, a Readable and a ReadableStream", async () => {
    const sources: [string, Answering][] = [
      ["abc", (ctx) => ctx.send(letters(), { contentType: "text/x", length: 3 })],
      [
        "abc",
        (ctx) => ctx.send(Readable.from([Buffer.from("ab"), Buffer.from("c")]), { contentType: "text/x" }),
      ],
      ["äbc", (ctx) => ctx.send(ReadableStream.from(["äb", "c"]), { contentType: "text/x" })],
    ];
    for (const [expected, handler] of sources) {
      const { send, traces } = await serving((ctx) => {
        ctx.header("x-kind", "s");
        return handler(ctx);
      });
      const client = new StreamClient();
      const head = await send("GET /file", { stream: client });
      await client.ended;
      assert.deepEqual([head.status, head.contentType, head.headers], [200, "text/x", ["x-kind", "s"]]);
      assert.deepEqual([client.pieces.join(""), client.outcome], [expected, "whole"]);
      assert.equal(traces[0]!.lifecycle.at(-1)!.status, 200);
      // If the server cannot stream, it receives the whole body.
      assert.equal((await send("GET /file")).text, expected);
    }
  });

  it("reads the source of a stream only as fast as the client receives it", async () => {
    let made = 0;
    async function* numbers(): AsyncGenerator<string> {
      for (; made < 5;) yield String((made += 1));
    }
    const { send } = await serving((ctx) => ctx.send(numbers()));
    const client = new StreamClient();
    client.isFull = true;
    await send("GET /file", { stream: client });
    await sleep(5);
    assert.deepEqual(client.pieces, ["1"]);
    client.events!.drain();
    await sleep(5);
    assert.deepEqual(client.pieces, ["1", "2"]);
    client.isFull = false;
    client.events!.drain();
    await client.ended;
    assert.deepEqual([client.pieces.join(""), client.outcome], ["12345", "whole"]);
  });

  it("cancels the stream if the client disconnects, even while the stream waits", async () => {
    const released: string[] = [];
    const pending = new Promise<never>(() => undefined);
    const sources: Answering[] = [
      (ctx) => ctx.send(new ReadableStream({ pull: () => pending, cancel: () => void released.push("web") })),
      (ctx) =>
        ctx.send(
          new Readable({
            read: () => undefined,
            destroy: (error, done) => {
              released.push("node");
              done(error);
            },
          }),
        ),
      (ctx) => {
        ctx.signal.addEventListener("abort", () => void released.push("generator"));
        return ctx.send(
          (async function* () {
            yield "1";
            await pending;
          })(),
        );
      },
    ];
    for (const source of sources) {
      const { send, log, errors } = await serving(source);
      const client = new StreamClient();
      await send("GET /file", { stream: client });
      await sleep(1);
      client.events!.abort();
      await sleep(1);
      assert.deepEqual([log.length, errors.length, client.outcome], [0, 0, undefined]);
    }
    assert.deepEqual(released, ["web", "node", "generator"]);
  });

  it("closes the connection if the stream fails, has another length than declared, or yields an invalid chunk", async () => {
    const cases: [Answering, RegExp][] = [
      [(ctx) => ctx.send(failing()), /disk on fire/],
      [(ctx) => ctx.send(letters(), { length: 2 }), /more bytes than the declared length 2/],
      [(ctx) => ctx.send(letters(), { length: 4 }), /fewer bytes than the declared length 4/],
      [(ctx) => ctx.send(ReadableStream.from([1] as unknown as string[])), /yielded a value of type number/],
    ];
    for (const [handler, message] of cases) {
      const { send, log, errors, traces } = await serving(handler);
      const client = new StreamClient();
      assert.equal((await send("GET /file", { stream: client })).status, 200);
      await client.ended;
      assert.equal(client.outcome, "cut");
      assert.match(String(errors[0]), message);
      assert.match(log[0]!.message, /failed after the head was sent/);
      assert.equal(traces.length, 1);
    }
    // If nothing was sent yet, the failure results in a regular error response.
    const { send } = await serving((ctx) => ctx.send(failing()));
    assert.equal((await send("GET /file")).status, 500);
  });

  it("sends only the head in response to HEAD, and cancels the stream", async () => {
    let cancelled = false;
    const { send } = await serving((ctx) =>
      ctx.send(new ReadableStream({ cancel: () => void (cancelled = true) }), { length: 7 }),
    );
    const client = new StreamClient();
    await send("HEAD /file", { stream: client });
    assert.deepEqual([client.length, client.outcome, client.pieces, cancelled], [7, "whole", [], true]);
  });

  it("results in 500 if the head of the response cannot be sent, and cancels the stream", async () => {
    let cancelled = false;
    const { send, log } = await serving((ctx) =>
      ctx.send(new ReadableStream({ cancel: () => void (cancelled = true) })),
    );
    await send("GET /file", { stream: new StreamClient(), failToWrite: new Error("bad header") });
    assert.ok(cancelled);
    assert.equal(log[0]!.message, "The response could not be sent");
  });

  it("applies the timeout to the head but not to the body, and cancels a stream that a handler returns too late", async () => {
    let cancelled = 0;
    const slow = (): ReadableStream<string> =>
      new ReadableStream({
        async pull(controller) {
          await sleep(60);
          controller.enqueue("late");
          controller.close();
        },
        cancel: () => void (cancelled += 1),
      });
    const quick = await serving((ctx) => ctx.send(slow()), { requestTimeoutMs: 20 });
    const client = new StreamClient();
    assert.equal((await quick.send("GET /file", { stream: client })).status, 200);
    await client.ended;
    assert.deepEqual([client.pieces, client.outcome], [["late"], "whole"]);
    // A server that cannot stream sends the head after the whole body was collected.
    assert.equal((await quick.send("GET /file")).status, 503);
    assert.equal(cancelled, 1);
    const late = await serving((ctx) => sleep(50).then(() => ctx.send(slow())), { requestTimeoutMs: 20 });
    assert.equal((await late.send("GET /file")).status, 503);
    await sleep(60);
    assert.equal(cancelled, 2);
  });

  it("aborts the stream at the end of the grace period of a shutdown", async () => {
    let aborted = false;
    const server = new MemoryServer();
    const app = createApp({
      server,
      signals: false,
      logging: { level: "fatal" },
      compiled: compiled(file),
      routes: [
        {
          handlers: {
            "GET /file": ({ ctx }: { ctx: RequestContext }) => {
              ctx.signal.addEventListener("abort", () => (aborted = true));
              return ctx.send(new ReadableStream({ pull: () => new Promise(() => undefined) }));
            },
          },
        },
      ],
    } as AppOptions);
    await app.listen({ port: 1 });
    const client = new StreamClient();
    await server.send("GET /file", { stream: client });
    server.closesAfter = client.ended;
    await app.close({ graceMs: 5 });
    assert.deepEqual([client.outcome, aborted], ["cut", true]);
  });

  it("refuses invalid bodies and options, with advice", async () => {
    const bad: [Answering, RegExp][] = [
      [
        (ctx) => ctx.send({ id: "1" } as unknown as string),
        /not a value of type object\. For a JSON response, return/,
      ],
      [(ctx) => ctx.send(null as unknown as string), /not null/],
      [(ctx) => ctx.send("x", { length: -1 }), /`length` must be a number of bytes, not -1/],
      [(ctx) => ctx.send("x", { contentType: "a\r\nb: c" }), /`contentType` must be printable/],
    ];
    for (const [handler, message] of bad) {
      const { send } = await serving(handler, { env: "development" });
      const answer = await send("GET /file");
      assert.equal(answer.status, 500);
      assert.match(String(errorOf(answer)["message"]), message);
    }
  });

  it("is suggested in the error if a handler returns a stream without it", async () => {
    for (const stream of [letters(), Readable.from(["a"]), ReadableStream.from(["a"])]) {
      const { send, log } = await serving(() => stream);
      for (const path of ["/file", "/nothing"]) assert.equal((await send(`GET ${path}`)).status, 500);
      assert.match(log[0]!.message, /GET \/file returned a stream .* wrap it in ctx\.send/);
    }
  });

  it("results in 500 if the server cannot stream and the body is larger than the limit", async () => {
    const piece = new Uint8Array(1024 * 1024);
    async function* large(): AsyncGenerator<Uint8Array> {
      for (let index = 0; index < 17; index += 1) yield piece;
    }
    const { send, log } = await serving((ctx) => ctx.send(large()));
    assert.equal((await send("GET /file")).status, 500);
    assert.match(log[0]!.message, /adapter memory cannot stream, and the response body is larger than/);
  });
});
