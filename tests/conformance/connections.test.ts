// Tests the connection limit. The native server and the Rust server let further connections wait. The servers on node:http close them
// immediately, because Node can only accept or close a connection.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { columns } from "./columns.ts";

const request = "GET /a HTTP/1.1\r\nhost: a\r\n\r\n";

interface Client {
  readonly socket: Socket;
  text(): string;
  isClosed(): boolean;
}

async function send(port: number): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  let isClosed = false;
  socket
    .on("data", (chunk) => (text += chunk.toString()))
    // The server may close the connection before it has read the request. That resets the connection.
    .on("error", () => undefined)
    .on("close", () => (isClosed = true));
  await once(socket, "connect");
  socket.write(request);
  return { socket, text: () => text, isClosed: () => isClosed };
}

async function response(client: Client, count = 1): Promise<void> {
  const end = performance.now() + 5000;
  while (client.text().split("HTTP/1.1 200 ").length <= count) {
    assert.ok(performance.now() < end, `no response: ${client.text()}`);
    await sleep(5);
  }
}

for (const { name, echo } of columns) {
  const isWaiting = name === "native" || name === "rust";
  describe(name, () => {
    test(`connections above the limit ${isWaiting ? "wait" : "are closed"} until another connection closes`, async () => {
      await using served = await echo({ maxConnections: 2 });
      const first = await send(served.port);
      const second = await send(served.port);
      await Promise.all([response(first), response(second)]);
      let third = await send(served.port);
      if (isWaiting) await sleep(300);
      else if (!third.isClosed()) await once(third.socket, "close", { signal: AbortSignal.timeout(5000) });
      assert.equal(third.text(), "");
      assert.equal(third.isClosed(), !isWaiting);
      // The connections within the limit are served.
      second.socket.write(request);
      await response(second, 2);
      first.socket.destroy();
      third = isWaiting ? third : await admitted(served.port);
      await response(third);
      for (const { socket } of [second, third]) socket.destroy();
      // Any closed connection makes room for another one, no matter how it was closed.
      for (let count = 0; count < 5; count += 1) {
        const next = isWaiting ? await send(served.port) : await admitted(served.port);
        await response(next);
        next.socket.resetAndDestroy();
      }
    });
  });
}

/** Connects again and again until the server accepts the connection. The server may still count a connection that was closed a moment ago. */
async function admitted(port: number): Promise<Client> {
  const end = performance.now() + 5000;
  for (;;) {
    const client = await send(port);
    while (client.text() === "" && !client.isClosed()) await sleep(5);
    if (!client.isClosed()) return client;
    assert.ok(performance.now() < end, "no connection is accepted");
    await sleep(20);
  }
}
