import assert from "node:assert/strict";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { raw, serve } from "../../server-node/test/support.ts";
import { expressServer } from "../src/index.ts";

quietStdout();

/** Asks, and gives the answer as soon as its head is there. */
async function ask(url: string, method = "GET"): Promise<IncomingMessage> {
  const request = httpRequest(`${url}/notes/1`, { method, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

async function* two(): AsyncGenerator<string> {
  yield "ab";
}

test("the head and each piece are sent when they are there", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  async function* pieces(): AsyncGenerator<string> {
    yield "one ";
    await gate;
    yield "two";
  }
  await using app = await serve(expressServer(), {
    get: (ctx) => ctx.header("x-a", "1").send(pieces(), { contentType: "text/plain" }),
  });
  const response = await ask(app.url);
  assert.deepEqual([response.statusCode, response.headers["x-a"]], [200, "1"]);
  assert.equal(response.headers["transfer-encoding"], "chunked");
  const [first] = (await once(response, "data")) as [Buffer];
  assert.equal(first.toString(), "one ");
  open();
  const rest = await response.toArray();
  assert.equal(Buffer.concat(rest as Buffer[]).toString(), "two");
});

test("a client that does not read stops the stream, one that leaves releases it", async () => {
  const piece = new Uint8Array(256 * 1024);
  let made = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        made += 1;
        yield piece;
      }
    } finally {
      release();
    }
  }
  await using app = await serve(expressServer(), { get: (ctx) => ctx.send(endless()) });
  const response = await ask(app.url);
  let before = -1;
  while (before !== made) {
    before = made;
    await sleep(200);
  }
  // What the kernel and Node hold back, and no more.
  assert.ok(made < 200, `${made} pieces were read ahead`);
  response.destroy();
  await released;
  assert.deepEqual(app.log, []);
});

test("a length is kept, HEAD has no body, and what fails is cut", async () => {
  await using app = await serve(expressServer(), { get: (ctx) => ctx.send(two(), { length: 2 }) });
  const whole = await ask(app.url);
  assert.equal(whole.headers["content-length"], "2");
  assert.equal(Buffer.concat((await whole.toArray()) as Buffer[]).toString(), "ab");
  const head = await ask(app.url, "HEAD");
  assert.equal(head.headers["content-length"], "2");
  assert.deepEqual(await head.toArray(), []);
  await using short = await serve(expressServer(), { get: (ctx) => ctx.send(two(), { length: 3 }) });
  const cut = await ask(short.url);
  await assert.rejects(cut.toArray(), /aborted/);
  assert.match(short.log[0]!.message, /failed after its head was sent/);
  // A client of HTTP/1.0 knows no chunks.
  await using old = await serve(expressServer(), { get: (ctx) => ctx.send(two()) });
  const answer = await raw(old.port, "GET /notes/1 HTTP/1.0\r\nhost: a\r\n\r\n");
  assert.match(answer, /\r\n\r\nab$/);
});
