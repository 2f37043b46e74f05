import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { RequestBodyReader, ServerExchange, ServerService } from "@kit/types";

import { createApp, type LogEntry } from "../src/index.ts";
import { FetchServer } from "../src/fetch/fetch-server.ts";
import { compiled, route } from "./support/compiled.ts";
import { quietStdout } from "./support/quiet-stdout.ts";
import { isBodyFailure, StreamedBody } from "../src/request/streamed-body.ts";

quietStdout();

/** Reader of the given chunks, which records its calls. A string is the code of an error. */
function readerOf(
  ...parts: readonly (Uint8Array | string)[]
): RequestBodyReader & { readonly calls: string[] } {
  const left = [...parts];
  const calls: string[] = [];
  return {
    calls,
    async read() {
      calls.push("read");
      const part = left.shift();
      if (typeof part === "string") throw Object.assign(new Error("body"), { code: part });
      return part ?? null;
    },
    cancel: () => void calls.push("cancel"),
  };
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

test("iterates the chunks of a body once", async () => {
  const reader = readerOf(bytes("ab"), bytes("cd"));
  const body = new StreamedBody(reader, 10);
  assert.equal(await textOf(body), "abcd");
  assert.deepEqual(reader.calls, ["read", "read", "read"]);
  await assert.rejects(textOf(body), { name: "TypeError", message: /can be read only once/ });
});

test("cancels the reader if the handler stops the iteration early", async () => {
  const reader = readerOf(bytes("ab"), bytes("cd"));
  for await (const chunk of new StreamedBody(reader, 10)) {
    assert.equal(chunk.length, 2);
    break;
  }
  assert.deepEqual(reader.calls, ["read", "cancel"]);
});

test("ends immediately if the handler stops the iteration while it waits for a chunk", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = (): void => reject(Object.assign(new Error("canceled"), { code: "ERR_KIT_BODY_CANCELED" }));
  const iterator = new StreamedBody({ read: () => promise, cancel }, 10)[Symbol.asyncIterator]();
  const waiting = iterator.next();
  const second = iterator.next();
  await sleep(1);
  await iterator.return!();
  const end = { done: true, value: undefined };
  assert.deepEqual([await waiting, await second, await iterator.next()], [end, end, end]);
});

test("reads one chunk after the other if the handler requests several chunks at once", async () => {
  let open = 0;
  const read = async (): Promise<Uint8Array | null> => {
    open += 1;
    assert.equal(open, 1);
    await sleep(1);
    open -= 1;
    return bytes("a");
  };
  const iterator = new StreamedBody({ read, cancel: () => undefined }, 10)[Symbol.asyncIterator]();
  const results = await Promise.all([iterator.next(), iterator.next(), iterator.next()]);
  assert.equal(results.filter(({ done }) => done !== true).length, 3);
});

/** Returns the status and the code of the error for an error of the reader, and if the client is the cause. */
async function thrown(code: string): Promise<unknown[]> {
  const error: unknown = await textOf(new StreamedBody(readerOf(code), 10)).catch((cause: unknown) => cause);
  const { status, code: kind } = error as { status?: number; code: string };
  return [status, kind, isBodyFailure(error)];
}

test("throws errors with the statuses 413, 408 and 400 if the client is the cause, and other errors unchanged", async () => {
  assert.deepEqual(await thrown("ERR_KIT_BODY_TOO_LARGE"), [413, "PAYLOAD_TOO_LARGE", true]);
  assert.deepEqual(await thrown("ERR_KIT_BODY_TIMEOUT"), [408, "REQUEST_TIMEOUT", true]);
  assert.deepEqual(await thrown("ERR_KIT_BODY_ABORTED"), [400, "BAD_REQUEST", true]);
  assert.deepEqual(await thrown("ERR_KIT_BODY_INVALID"), [400, "BAD_REQUEST", true]);
  assert.deepEqual(await thrown("ERR_KIT_BODY_CANCELED"), [undefined, "ERR_KIT_BODY_CANCELED", false]);
});

/** Returns a function that calls `handle` for each request of the Fetch standard, with a body in chunks. */
function fetcher(
  handle: (exchange: ServerExchange) => unknown,
  limit = 1000,
): (request: Request) => Promise<Response> {
  const server = new FetchServer();
  const service = {
    routes: [],
    limits: { bodyBytes: limit },
    streamedBodies: { byRoute: [], has: () => true },
    handle: (exchange: ServerExchange) => void handle(exchange),
    fail: () => undefined,
  } as unknown as ServerService;
  return (request) => server.handle(service, request);
}

interface Source {
  readonly request: Request;
  readonly canceled: () => boolean;
  readonly pulled: () => number;
}

/** Creates an upload whose chunks are made when they are read. */
function upload(chunks: number, init: RequestInit = {}): Source {
  let [pulled, isCanceled] = [0, false];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += 1;
        if (pulled > chunks) controller.close();
        else controller.enqueue(bytes("x".repeat(10)));
      },
      cancel: () => void (isCanceled = true),
    },
    { highWaterMark: 0 },
  );
  const request = new Request("http://localhost/notes", { method: "POST", body, duplex: "half", ...init });
  return { request, canceled: () => isCanceled, pulled: () => pulled };
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch(({ code }: NodeJS.ErrnoException) => code);

test("app.fetch reads a body only as fast as the handler", async () => {
  const source = upload(5);
  const fetch = fetcher(async (exchange) => {
    assert.deepEqual([exchange.bodyLength, source.pulled()], [-1, 0]);
    const reader = exchange.readBody!();
    await reader.read();
    await sleep(5);
    assert.equal(source.pulled(), 1);
    let count = 1;
    while ((await reader.read()) !== null) count += 1;
    assert.equal(await reader.read(), null);
    exchange.respond(200, "text/plain", `${count}`, null);
  });
  assert.equal(await (await fetch(source.request)).text(), "5");
  const empty = fetcher(async (exchange) => {
    const { bodyLength } = exchange;
    exchange.respond(200, null, `${bodyLength} ${await exchange.readBody!().read()}`, null);
  });
  assert.equal(await (await empty(new Request("http://localhost/notes"))).text(), "0 null");
});

test("app.fetch refuses bodies above the limit, before reading if the length is declared", async () => {
  const fetch = fetcher(async (exchange) => {
    if (exchange.bodyTooLarge) return exchange.respond(413, null, "declared", null);
    const code = await codeOf(Readable.from(new StreamedBody(exchange.readBody!(), 25)).toArray());
    return exchange.respond(413, null, String(code), null);
  }, 25);
  const source = upload(5);
  assert.equal(await (await fetch(source.request)).text(), "PAYLOAD_TOO_LARGE");
  assert.deepEqual([source.canceled(), source.pulled()], [true, 3]);
  const declared = upload(5, { headers: { "content-length": "50" } });
  assert.equal(await (await fetch(declared.request)).text(), "declared");
  assert.equal(declared.pulled(), 0);
});

test("app.fetch cancels the body if the response comes first, and rejects waiting reads", async () => {
  const codes: unknown[] = [];
  const fetch = fetcher(async (exchange) => {
    const reader = exchange.readBody!();
    const waiting = codeOf(reader.read());
    exchange.respond(401, null, "no", null);
    codes.push(await waiting, await codeOf(reader.read()));
  });
  const source = upload(5);
  assert.equal((await fetch(source.request)).status, 401);
  await sleep(1);
  assert.ok(source.canceled());
  assert.deepEqual(codes, ["ERR_KIT_BODY_CANCELED", "ERR_KIT_BODY_CANCELED"]);
});

test("app.fetch rejects reads with ERR_KIT_BODY_ABORTED if the request is aborted or its body fails", async () => {
  const { promise: seen, resolve } = Promise.withResolvers<unknown>();
  const fetch = fetcher(async (exchange) => {
    const reader = exchange.readBody!();
    for (;;) {
      const part = await codeOf(reader.read());
      if (!(part instanceof Uint8Array)) {
        resolve(part);
        exchange.respond(400, null, null, null);
        return;
      }
    }
  });
  const controller = new AbortController();
  const silent = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(bytes("a")) });
  const fetched = fetch(upload(0, { body: silent, signal: controller.signal }).request);
  await sleep(5);
  controller.abort();
  assert.equal(await seen, "ERR_KIT_BODY_ABORTED");
  assert.equal((await fetched).status, 400);
  const { promise: failed, resolve: fail } = Promise.withResolvers<unknown>();
  const broken = new ReadableStream<Uint8Array>({ pull: (stream) => stream.error(new Error("broken")) });
  await fetcher(async (exchange) => {
    fail(await codeOf(exchange.readBody!().read()));
    exchange.respond(400, null, null, null);
  })(upload(0, { body: broken }).request);
  assert.equal(await failed, "ERR_KIT_BODY_ABORTED");
});

test("app.fetch sends a response in chunks while the body is read", async () => {
  const fetch = fetcher(async (exchange) => {
    const writer = exchange.respondStream!(200, null, null, null, {
      drain: () => undefined,
      abort: () => undefined,
    });
    for await (const chunk of new StreamedBody(exchange.readBody!(), 1000)) writer.write(chunk);
    writer.end();
  });
  assert.equal((await (await fetch(upload(5).request)).text()).length, 50);
});

test("app.fetch throws an error with the code ERR_KIT_BODY_STREAMED if a body in chunks is read as a whole", async () => {
  const fetch = fetcher((exchange) => {
    assert.throws(() => exchange.bodyText(), { code: "ERR_KIT_BODY_STREAMED" });
    assert.throws(() => exchange.bodyBytes(), { code: "ERR_KIT_BODY_STREAMED" });
    exchange.respond(204, null, null, null);
  });
  assert.equal((await fetch(upload(1).request)).status, 204);
});

test("the pipeline lists routes whose bodies arrive in chunks, and limits the number of log entries about failures in such bodies", async () => {
  const entries: LogEntry[] = [];
  let service: ServerService | undefined;
  const app = createApp({
    server: {
      name: "test",
      platform: "test",
      listen: async (served) => {
        service = served;
        return { host: "localhost", port: 1, url: "http://localhost:1" };
      },
      close: async () => undefined,
      getNativeServer: () => undefined,
    },
    signals: false,
    env: "production",
    compiled: compiled(route("GET /plain"), {
      ...route("POST /rows"),
      bodyFormat: { format: "lines", mediaTypes: ["application/jsonl"] },
    }),
    plugins: [{ name: "log", onLog: (entry) => entries.push(entry) }],
    routes: [
      {
        handlers: {
          "GET /plain": () => undefined,
          "POST /rows": async () => {
            await textOf(new StreamedBody(readerOf("ERR_KIT_BODY_TOO_LARGE"), 10));
          },
        },
      },
    ],
  });
  await app.listen({ port: 0 });
  const { streamedBodies, routes } = service!;
  assert.deepEqual(
    routes.map((ref, index) => [ref, streamedBodies!.byRoute[index]]),
    [
      ["GET /plain", false],
      ["POST /rows", true],
    ],
  );
  const has = (method: string, target: string): boolean => streamedBodies!.has(method, target);
  assert.deepEqual(
    [
      has("POST", "/rows?a=1"),
      has("POST", "/%72ows"),
      has("GET", "/plain"),
      has("GET", "/rows"),
      has("POST", "/x"),
    ],
    [true, true, false, false, false],
  );
  for (let index = 0; index < 30; index += 1) {
    const { promise, resolve } = Promise.withResolvers<number>();
    service!.handle({
      method: "POST",
      target: "/rows",
      bodyTooLarge: false,
      bodyLength: -1,
      bodyText: () => assert.fail("read as a whole"),
      bodyBytes: () => assert.fail("read as a whole"),
      readBody: () => readerOf(),
      header: (name) => (name === "content-type" ? "application/jsonl" : undefined),
      headers: () => ({}),
      remoteAddress: "",
      onAbort: () => undefined,
      respond: resolve,
    });
    assert.equal(await promise, 413);
  }
  const refusals = entries.filter(({ level }) => level === "warn" || level === "error");
  assert.deepEqual([refusals.length, refusals[0]!.level], [10, "warn"]);
  await app.close();
});
