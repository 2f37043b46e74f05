import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { ResponseStreamEvents, ResponseWriter, ServerExchange } from "@kit/types";

import { engineTest, json, raw, serve } from "./support.ts";

const get = "GET /notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/** Records the events of a streamed response. */
class Events implements ResponseStreamEvents {
  readonly reported: string[] = [];

  drain(): void {
    this.reported.push("drain");
  }

  abort(): void {
    this.reported.push("abort");
  }
}

function stream(
  exchange: ServerExchange,
  events: ResponseStreamEvents,
  length: number | null = null,
): ResponseWriter {
  return exchange.respondStream!(200, "text/plain", length, ["x-own", "ä"], events);
}

engineTest("chunks may be written at any time and are copied", async () => {
  const events = new Events();
  await using app = await serve((exchange) => {
    const writer = stream(exchange, events);
    const piece = Buffer.from("abc");
    assert.equal(writer.write(piece.subarray(1)), true);
    piece.fill("x");
    setTimeout(() => {
      writer.write(Buffer.from("def"));
      writer.end();
      // The stream has ended: these calls must have no effect.
      assert.equal(writer.write(piece), false);
      writer.end();
      writer.destroy();
    }, 10);
  });
  const answer = await raw(app.address.port, get);
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[^]*x-own: ä\r\n[^]*\r\n\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n$/);
  assert.deepEqual(events.reported, []);
});

test("a request can still get a response after an attempt to stream with an invalid head", async () => {
  await using app = await serve((exchange) => {
    assert.throws(() => exchange.respondStream!(200, null, null, ["x", "a\nb"], new Events()), {
      code: "ERR_INVALID_CHAR",
    });
    assert.throws(() => exchange.respond(200, null, null, ["x", "a\nset-cookie\nb=1"]), {
      code: "ERR_INVALID_CHAR",
    });
    assert.throws(() => exchange.respondStream!(99, null, null, null, new Events()), {
      code: "ERR_HTTP_INVALID_STATUS_CODE",
    });
    json(exchange, 1);
    assert.throws(() => stream(exchange, new Events()), { code: "ERR_KIT_ANSWERED" });
  });
  assert.match(await raw(app.address.port, get), /^HTTP\/1\.1 200 [^]*\r\n\r\n1$/);
});

engineTest("refuses a chunk beyond the declared length, and cuts a body that is too short", async () => {
  await using app = await serve((exchange) => {
    const writer = stream(exchange, new Events(), 3);
    assert.throws(() => writer.write(Buffer.from("abcd")), { code: "ERR_HTTP_CONTENT_LENGTH_MISMATCH" });
    writer.write(Buffer.from("ab"));
    assert.throws(() => writer.end(), { code: "ERR_HTTP_CONTENT_LENGTH_MISMATCH" });
  });
  assert.match(await raw(app.address.port, get), /content-length: 3\r\n[^]*\r\n\r\nab$/);
});

test("write returns false if the buffer is full, then drain is reported, and a disconnect is reported once", async () => {
  const events = new Events();
  const { promise: begun, resolve: begin } = Promise.withResolvers<ResponseWriter>();
  await using app = await serve((exchange) => begin(stream(exchange, events)));
  const socket = connect(app.address.port, "127.0.0.1");
  socket.write(get);
  const writer = await begun;
  const piece = Buffer.alloc(20_000);
  // The operating system accepts more bytes after a while.
  for (let full = 0; full < 3;) {
    const drains = events.reported.length;
    while (writer.write(piece));
    await sleep(30);
    full = events.reported.length === drains ? full + 1 : 0;
  }
  const drains = events.reported.length;
  assert.ok(drains > 0);
  socket.resume();
  while (events.reported.length === drains) await sleep(5);
  // `destroy` sends a FIN if the client has read everything. A client that only closes its sending side sends a FIN too, so the stream
  // would go on.
  socket.resetAndDestroy();
  while (events.reported.at(-1) !== "abort") await sleep(5);
  assert.equal(writer.write(piece), false);
  writer.end();
  await sleep(20);
  assert.equal(events.reported.filter((event) => event === "abort").length, 1);
  assert.equal(events.reported.at(-1), "abort");
});

test("a stream to a disconnected client is aborted only after the caller has received the writer", async () => {
  const events = new Events();
  const { promise: received, resolve: receive } = Promise.withResolvers<ServerExchange>();
  await using app = await serve(receive);
  const socket = connect(app.address.port, "127.0.0.1");
  socket.write(get);
  const exchange = await received;
  const left = Promise.withResolvers<void>();
  exchange.onAbort(left.resolve);
  socket.resetAndDestroy();
  await left.promise;
  const writer = stream(exchange, events);
  assert.deepEqual(events.reported, []);
  assert.equal(writer.write(Buffer.from("a")), false);
  await sleep(0);
  assert.deepEqual(events.reported, ["abort"]);
});

engineTest("a stream may be used after its server is closed", async () => {
  const events = new Events();
  const { promise: begun, resolve: begin } = Promise.withResolvers<ResponseWriter>();
  const app = await serve((exchange) => begin(stream(exchange, events)));
  const socket = connect(app.address.port, "127.0.0.1");
  socket.write(get);
  const writer = await begun;
  await Promise.all([app.server.close({ graceMs: 10 }), once(socket.resume(), "close")]);
  assert.deepEqual(events.reported, ["abort"]);
  assert.equal(writer.write(Buffer.from("a")), false);
  writer.end();
  writer.destroy();
});
