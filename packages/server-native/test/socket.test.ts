import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import type { ServerExchange, ServerSocket, SocketEvents, SocketOptions } from "@kit/types";

import { engineTest, json, raw, serve } from "./support.ts";

const options: SocketOptions = {
  messageBytes: 100_000,
  compression: true,
  pingMs: 60_000,
  protocol: null,
  headers: ["x-own", "ä"],
};

const handshake =
  "GET /notes/7 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/** Records the events of a socket. */
class Events implements SocketEvents {
  readonly reported: unknown[] = [];

  message(data: string | Uint8Array): void {
    this.reported.push(data);
  }

  drain(): void {
    this.reported.push("(drain)");
  }

  closed(code: number, reason: string): void {
    this.reported.push([code, reason]);
  }
}

/** Accepts a WebSocket and responds to each message with the same message. */
function echo(exchange: ServerExchange, changes: Partial<SocketOptions> = {}): Events {
  const events = new Events();
  const socket: ServerSocket = exchange.acceptSocket!(
    { ...options, ...changes },
    {
      message(data) {
        events.message(data);
        socket.send(data);
      },
      drain: () => events.drain(),
      closed: (code, reason) => events.closed(code, reason),
    },
  );
  return events;
}

async function open(port: number, path = "/notes/7"): Promise<WebSocket> {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  client.binaryType = "arraybuffer";
  await once(client, "open");
  return client;
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    assert.ok(tries < 1000, "it does not happen");
    await sleep(5);
  }
}

engineTest("moves text and bytes in both directions, and closes with the client's code", async () => {
  let events = new Events();
  await using app = await serve((exchange) => void (events = echo(exchange)));
  const client = await open(app.address.port);
  const received: unknown[] = [];
  client.addEventListener("message", ({ data }) => {
    received.push(typeof data === "string" ? data : Buffer.from(data as ArrayBuffer).toString("hex"));
  });
  const large = "é€".repeat(15_000);
  client.send("");
  client.send("hi");
  client.send(Uint8Array.of(1, 0, 255));
  client.send(large);
  await until(() => received.length === 4);
  assert.deepEqual(received, ["", "hi", "0100ff", large]);
  client.close(4001, "bye");
  const [{ code, wasClean }] = (await once(client, "close")) as [CloseEvent];
  assert.deepEqual([code, wasClean], [4001, true]);
  assert.deepEqual(events.reported.slice(-1), [[4001, "bye"]]);
  assert.deepEqual(Buffer.from(events.reported[2] as Uint8Array), Buffer.from([1, 0, 255]));
});

engineTest("sends the accept key and the headers of the handshake", async () => {
  await using app = await serve((exchange) => void echo(exchange, { protocol: "chat" }));
  const client = connect(app.address.port, "127.0.0.1");
  client.write(handshake);
  const [head] = (await once(client, "data")) as [Buffer];
  client.destroy();
  assert.equal(
    head.toString("latin1"),
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
      "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nsec-websocket-protocol: chat\r\nx-own: ä\r\n" +
      "x-content-type-options: nosniff\r\n\r\n",
  );
});

engineTest("is present only for requests that ask for a socket, on routes that accept sockets", async () => {
  await using app = await serve((exchange) => json(exchange, "acceptSocket" in exchange ? "yes" : "no"));
  const closing = handshake.replace("Connection: Upgrade", "Connection: Upgrade, close");
  for (const [request, expected] of [
    [closing, "yes"],
    [closing.replace("/notes/7", "/notes"), "no"],
    [closing.replace("websocket", "h2c"), "no"],
    [closing.replace("Upgrade: websocket\r\n", ""), "no"],
    [closing.replace("Upgrade, ", ""), "no"],
  ] as const) {
    assert.match(await raw(app.address.port, request), new RegExp(`\r\n\r\n"${expected}"$`), request);
  }
});

engineTest("throws if the response cannot be sent, so that another response can be sent", async () => {
  await using app = await serve((exchange) => {
    const events = new Events();
    const accept = (changes: Partial<SocketOptions>): unknown =>
      exchange.acceptSocket!({ ...options, ...changes }, events);
    assert.throws(() => accept({ headers: ["x", "a\nb"] }), { code: "ERR_INVALID_CHAR" });
    assert.throws(() => accept({ headers: ["upgrade", "x"] }), { code: "ERR_INVALID_HTTP_TOKEN" });
    assert.throws(() => accept({ protocol: "a\nb" }), { code: "ERR_INVALID_CHAR" });
    exchange.respond(403, null, "no", ["connection", "close"]);
    assert.throws(() => accept({}), { code: "ERR_KIT_ANSWERED" });
  });
  assert.match(await raw(app.address.port, handshake), /^HTTP\/1\.1 403 /);
});

engineTest("calls closed soon after if the client has disconnected before the response", async () => {
  const { promise: reported, resolve: report } = Promise.withResolvers<Events>();
  await using app = await serve((exchange) => {
    exchange.onAbort(() => {
      setTimeout(() => {
        const events = echo(exchange);
        assert.deepEqual(events.reported, []);
        report(events);
      }, 50);
    });
  });
  const client = connect(app.address.port, "127.0.0.1");
  client.write(handshake);
  await sleep(20);
  client.resetAndDestroy();
  const { reported: events } = await reported;
  await sleep(5);
  assert.deepEqual(events, [[1006, ""]]);
});

engineTest("send returns false if the client does not read, then drain is reported", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<ServerSocket>();
  const events = new Events();
  await using app = await serve((exchange) => begin(exchange.acceptSocket!(options, events)));
  const client = connect(app.address.port, "127.0.0.1");
  client.write(handshake);
  const socket = await begun;
  for (let full = 0; full < 3;) {
    const drains = events.reported.length;
    while (socket.send("x".repeat(20_000)));
    await sleep(30);
    full = events.reported.length === drains ? full + 1 : 0;
  }
  const drains = events.reported.length;
  assert.ok(drains > 0);
  client.resume();
  await until(() => events.reported.length > drains);
  socket.terminate();
  assert.equal(events.reported.at(-1), "(drain)", "not during the call");
  await once(client, "close");
  await until(() => events.reported.at(-1) !== "(drain)");
  assert.deepEqual(events.reported.at(-1), [1006, ""]);
  for (const call of [() => socket.send("x"), () => socket.close(1000, ""), () => socket.resume()]) call();
});

engineTest("does not deliver messages between pause and resume", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<ServerSocket>();
  const events = new Events();
  await using app = await serve((exchange) => begin(exchange.acceptSocket!(options, events)));
  const client = await open(app.address.port);
  const socket = await begun;
  socket.pause();
  client.send("a");
  await sleep(30);
  assert.deepEqual(events.reported, []);
  socket.resume();
  await until(() => events.reported.length === 1);
  assert.deepEqual(events.reported, ["a"]);
  client.close();
  await once(client, "close");
});

engineTest("closes open sockets with 1001 when the server closes", async () => {
  let events = new Events();
  const app = await serve((exchange) => void (events = echo(exchange)));
  const client = await open(app.address.port);
  const closed = once(client, "close") as Promise<[CloseEvent]>;
  await app.server.close({ graceMs: 2000 });
  assert.equal((await closed)[0].code, 1001);
  assert.deepEqual(events.reported, [[1001, ""]]);
});

engineTest("compresses messages if client and service agree", async () => {
  for (const compression of [true, false]) {
    await using app = await serve((exchange) => void echo(exchange, { compression }));
    const client = await open(app.address.port);
    assert.equal(client.extensions.startsWith("permessage-deflate"), compression);
    const text = "many equal words ".repeat(4000);
    client.send(text);
    const [{ data }] = (await once(client, "message")) as [MessageEvent];
    assert.equal(data, text);
    client.close();
    await once(client, "close");
  }
});

engineTest("closes with 1009 if a message is too large", async () => {
  let events = new Events();
  await using app = await serve((exchange) => void (events = echo(exchange, { messageBytes: 10 })));
  const client = await open(app.address.port);
  client.send("x".repeat(11));
  const [{ code }] = (await once(client, "close")) as [CloseEvent];
  assert.equal(code, 1009);
  assert.deepEqual(events.reported, [[1009, "the message is too large"]]);
});
