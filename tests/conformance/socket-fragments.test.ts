// Tests the number of fragments of a WebSocket message on every server on Node. Each fragment needs memory on node:http. The
// native server and the Rust server copy fragments into one buffer, so they limit only the bytes.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";

import type { ServerAdapter } from "@kit/types";
import { WebSocket } from "ws";

import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { echoService } from "./socket-echo.ts";

const mebibyte = 1024 * 1024;

/**
 * Sends a message in fragments of one byte to a server whose limit is `messageBytes`. Returns the length of the message that the server
 * sends back, or the code with which the server closes the socket.
 */
async function send(
  make: () => ServerAdapter,
  messageBytes: number,
  fragments: number,
): Promise<{ readonly length?: number; readonly code?: number }> {
  const server = make();
  const options = { messageBytes, compression: false, pingMs: 60_000, protocol: null, headers: null };
  const { port } = await server.listen(echoService(options), { port: 0, host: "127.0.0.1" });
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  try {
    await once(socket, "open");
    const ended = Promise.race([
      once(socket, "message").then(([data]) => ({ length: (data as Buffer).length })),
      once(socket, "close").then(([code]) => ({ code: code as number })),
    ]);
    for (let sent = 1; sent <= fragments; sent += 1) socket.send(Buffer.of(1), { fin: sent === fragments });
    return await ended;
  } finally {
    socket.terminate();
    await server.close({ graceMs: 0 });
  }
}

notInRust("the number of fragments", "the decoder of the native server is that of the Rust server");
for (const [name, make] of servers) {
  if (name === "native") {
    test(`${name}: takes a message in as many fragments as it has bytes`, async () => {
      assert.deepEqual(await send(make, mebibyte, 131_072), { length: 131_072 });
    });
    continue;
  }
  test(`${name}: closes a socket with 1008 if a message has more than one fragment for 256 bytes of the limit`, async () => {
    assert.deepEqual(await send(make, mebibyte, 4096), { length: 4096 });
    assert.deepEqual(await send(make, mebibyte, 4097), { code: 1008 });
    assert.deepEqual(await send(make, 5 * mebibyte, 5 * 4096), { length: 5 * 4096 });
    assert.deepEqual(await send(make, 5 * mebibyte, 5 * 4096 + 1), { code: 1008 });
  });

  test(`${name}: takes 1024 fragments of a message if the limit is small`, async () => {
    assert.deepEqual(await send(make, 4096, 1024), { length: 1024 });
    assert.deepEqual(await send(make, 4096, 1025), { code: 1008 });
  });
}
