/** Tests of streamed responses that every server must pass. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { ServerAdapter } from "@kit/types";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { raw, serve, until } from "./support.ts";

/** Sends a request and resolves when the head of the response arrives. */
export async function sendRequest(url: string, method = "GET"): Promise<IncomingMessage> {
  const request = httpRequest(`${url}/notes/1`, { method, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  return Buffer.concat((await response.toArray()) as Buffer[]).toString();
}

async function* two(): AsyncGenerator<string> {
  yield "ab";
}

async function* beginAndEnd(signal: AbortSignal): AsyncGenerator<string> {
  yield "begin ";
  await sleep(100);
  yield "end";
  signal.throwIfAborted();
}

async function* endless(signal: AbortSignal): AsyncGenerator<string> {
  yield "begin ";
  await once(signal, "abort");
}

const mebibyte = 1024 * 1024;

/** Registers the tests for one server. */
export function testStreams(name: string, make: () => ServerAdapter): void {
  quietStdout();

  test(`${name}: sends the head and each chunk of a stream as soon as they are available`, async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    async function* pieces(): AsyncGenerator<string> {
      await gates[0].promise;
      yield "one ";
      await gates[1].promise;
      yield "two";
    }
    await using app = await serve(make(), {
      get: (ctx) =>
        ctx.header("x-a", "1").header("__proto__", ["2", "3"]).send(pieces(), { contentType: "text/plain" }),
    });
    const response = await sendRequest(app.url);
    assert.deepEqual([response.statusCode, response.headers["x-a"]], [200, "1"]);
    const list = response.rawHeaders;
    const hidden = list.filter((_, index) => index % 2 === 1 && list[index - 1] === "__proto__");
    assert.equal(hidden.join(", "), "2, 3");
    assert.equal(response.headers["content-type"], "text/plain");
    assert.equal(response.headers["transfer-encoding"], "chunked");
    gates[0].resolve();
    const [first] = (await once(response, "data")) as [Buffer];
    assert.equal(first.toString(), "one ");
    gates[1].resolve();
    assert.equal(await textOf(response), "two");
  });

  test(`${name}: pauses a stream while the client does not read, and ends it if the client disconnects`, async () => {
    const piece = new Uint8Array(256 * 1024);
    let made = 0;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    async function* zeros(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          made += 1;
          yield piece;
        }
      } finally {
        release();
      }
    }
    await using app = await serve(make(), { get: (ctx) => ctx.send(zeros()) });
    const response = await sendRequest(app.url);
    let before = -1;
    while (before !== made) {
      before = made;
      await sleep(200);
    }
    // The buffers of the operating system and of Node hold only this much.
    assert.ok(made < 200, `${made} pieces were read ahead`);
    response.destroy();
    await released;
    assert.deepEqual(app.log, []);
  });

  test(
    `${name}: ends a stream that waits for its next chunk if the client cuts the connection`,
    { timeout: 10_000 },
    async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<string>();
      async function* quiet(signal: AbortSignal): AsyncGenerator<string> {
        yield "ready";
        await once(signal, "abort");
        release((signal.reason as Error).message);
      }
      await using app = await serve(make(), { get: (ctx) => ctx.send(quiet(ctx.signal)) });
      const response = await sendRequest(app.url);
      await once(response, "data");
      response.socket.resetAndDestroy();
      assert.match(await released, /The client disconnected/);
    },
  );

  test(`${name}: keeps streaming to a client that closed its sending side, until a write fails`, async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<string>();
    const { promise: halfClosed, resolve: halfClose } = Promise.withResolvers<void>();
    let sent = 0;
    async function* ticks(signal: AbortSignal): AsyncGenerator<string> {
      signal.addEventListener("abort", () => release((signal.reason as Error).message));
      yield "ready ";
      await halfClosed;
      for (;;) {
        sent += 1;
        yield `tick ${sent} `;
        await sleep(5);
      }
    }
    await using app = await serve(make(), { get: (ctx) => ctx.send(ticks(ctx.signal)) });
    const socket = connect({ port: app.port, host: "127.0.0.1", allowHalfOpen: true });
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.end("GET /notes/1 HTTP/1.1\r\nhost: a\r\n\r\n");
    await until(() => text.includes("ready "));
    halfClose();
    await until(() => text.includes("tick 5 "));
    socket.destroy();
    assert.match(await released, /The client disconnected/);
  });

  test(`${name}: sends the declared length of a stream, no body for HEAD, and cuts the connection if the stream fails`, async () => {
    await using app = await serve(make(), { get: (ctx) => ctx.send(two(), { length: 2 }) });
    const whole = await sendRequest(app.url);
    assert.equal(whole.headers["content-length"], "2");
    assert.equal(await textOf(whole), "ab");
    const head = await sendRequest(app.url, "HEAD");
    assert.equal(head.headers["content-length"], "2");
    assert.deepEqual(await head.toArray(), []);
    await using short = await serve(make(), { get: (ctx) => ctx.send(two(), { length: 3 }) });
    const cut = await sendRequest(short.url);
    await assert.rejects(cut.toArray(), /aborted/);
    assert.match(short.log[0]!.message, /failed after the head was sent/);
    // A client of HTTP/1.0 does not support the chunked transfer coding.
    await using old = await serve(make(), { get: (ctx) => ctx.send(two()) });
    const answer = await raw(old.port, "GET /notes/1 HTTP/1.0\r\nhost: a\r\n\r\n");
    assert.match(answer, /\r\n\r\nab$/);
    const bare = await sendRequest(old.url, "HEAD");
    assert.deepEqual([bare.headers["content-length"], await bare.toArray()], [undefined, []]);
  });

  test(`${name}: serves further requests on the connection after a stream`, async () => {
    let requests = 0;
    await using app = await serve(make(), {
      get: (ctx) => {
        requests += 1;
        return requests === 1 ? ctx.send(two()) : { text: "next" };
      },
    });
    const get = "GET /notes/1 HTTP/1.1\r\nhost: a\r\n";
    const answers = await raw(app.port, `${get}\r\n${get}connection: close\r\n\r\n`);
    assert.match(answers, /\r\n\r\n2\r\nab\r\n0\r\n\r\nHTTP\/1\.1 200 [^]*\{"text":"next"\}$/);
  });

  test(`${name}: close waits for a stream in progress, and cuts it after the grace period`, async () => {
    const app = await serve(make(), { get: (ctx) => ctx.send(beginAndEnd(ctx.signal)) });
    const answer = await sendRequest(app.url);
    const closed = app.close(5000);
    assert.equal(await textOf(answer), "begin end");
    await closed;
    const other = await serve(make(), { get: (ctx) => ctx.send(endless(ctx.signal)) });
    const cut = await sendRequest(other.url);
    const start = performance.now();
    await Promise.all([other.close(100), assert.rejects(cut.toArray(), /aborted/)]);
    assert.ok(performance.now() - start < 2000);
  });

  test(`${name}: does not buffer 200 MiB for a slow reader`, { timeout: 120_000 }, async (t) => {
    const piece = Buffer.alloc(64 * 1024, "kit");
    const total = 200 * mebibyte;
    let made = 0;
    async function* large(): AsyncGenerator<Uint8Array> {
      for (; made < total; made += piece.length) yield piece;
    }
    await using app = await serve(make(), { get: (ctx) => ctx.send(large(), { length: total }) });
    const response = await sendRequest(app.url);
    const before = process.memoryUsage.rss();
    let [received, ahead, grown, pauses] = [0, 0, 0, 0];
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.length;
      ahead = Math.max(ahead, made - received);
      if (received < (pauses + 1) * mebibyte) continue;
      pauses += 1;
      grown = Math.max(grown, process.memoryUsage.rss() - before);
      // Longer than the server needs to fill its buffers.
      await sleep(5);
    }
    t.diagnostic(`${(ahead / mebibyte).toFixed(1)} MiB ahead, ${(grown / mebibyte).toFixed(0)} MiB grown`);
    assert.equal(received, total);
    // Most of these bytes are in the socket buffers of the operating system, on both sides.
    assert.ok(ahead < 24 * mebibyte, `${ahead} bytes were read ahead`);
    assert.ok(grown < 100 * mebibyte, `the process grew by ${grown} bytes`);
  });
}
