// Pings of silent clients on every server, and the limit of the bytes that wait for a slow client on servers on Node. Tests of
// kit-runtime have this limit.

import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, test } from "node:test";

import type { ServerAdapter, ServerService, ServerSocket } from "@kit/types";
import { WebSocket } from "ws";

import { isRust, type RustServed, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { echoService } from "./socket-echo.ts";

const options = { messageBytes: 1024, compression: false, pingMs: 50, protocol: null, headers: null };

/**
 * Time between pings in milliseconds for clients that answer. A client on a busy machine may wait for a processor, and the server rightly ends
 * the connection of a client that does not answer before the next ping.
 */
const patience = 500;

/** Waits for a number of pings. Rejects if the connection ends before. */
async function pinged(client: WebSocket, count: number): Promise<void> {
  const ended = new AbortController();
  client.once("close", (code) => ended.abort(new Error(`the connection ended with the code ${code}`)));
  for (let pings = 0; pings < count; pings += 1) await once(client, "ping", { signal: ended.signal });
}

/** Starts the Rust server with environment variables. */
function start(variables: Readonly<Record<string, string>>): Promise<RustServed> {
  return startRust("rust-server", { bodyBytes: 1024 }, "production", variables);
}

if (isRust) {
  describe("rust", () => {
    test("SOCKET_PING_MS sets the time before a ping, and a client that answers keeps its connection", async () => {
      await using app = await start({ SOCKET_PING_MS: String(patience) });
      const client = new WebSocket(`ws://127.0.0.1:${app.port}/echo`);
      await pinged(client, 3);
      client.send('{"text":"still here"}');
      assert.equal(String(((await once(client, "message")) as [Buffer])[0]), '{"text":"still here"}');
      client.terminate();
    });

    test("SOCKET_PING_MS ends the connection of a client that does not answer a ping", async () => {
      await using app = await start({ SOCKET_PING_MS: "50" });
      const client = new WebSocket(`ws://127.0.0.1:${app.port}/echo`, { autoPong: false });
      let pings = 0;
      client.on("ping", () => (pings += 1));
      const [code] = (await once(client, "close")) as [number];
      assert.deepEqual([code, pings], [1006, 1]);
    });

    for (const compression of [true, false]) {
      test(`SOCKET_COMPRESSION ${compression} decides if messages are compressed`, async () => {
        await using app = await start({ SOCKET_COMPRESSION: String(compression) });
        const client = new WebSocket(`ws://127.0.0.1:${app.port}/echo`, { perMessageDeflate: true });
        await once(client, "open");
        assert.equal(client.extensions.startsWith("permessage-deflate"), compression);
        const text = JSON.stringify({ text: "a".repeat(900) });
        client.send(text);
        assert.equal(String(((await once(client, "message")) as [Buffer])[0]), text);
        client.terminate();
      });
    }

    test("a start with an invalid SOCKET_PING_MS or SOCKET_COMPRESSION fails", async () => {
      for (const variables of [{ SOCKET_PING_MS: "0" }, { SOCKET_COMPRESSION: "1" }])
        await assert.rejects(start(variables), /did not start/);
    });
  });
}

/** Calls a function with the port of a server. */
async function on(
  server: ServerAdapter,
  service: ServerService,
  run: (port: number) => Promise<void>,
): Promise<void> {
  const { port } = await server.listen(service, { port: 0, host: "127.0.0.1" });
  try {
    await run(port);
  } finally {
    await server.close({ graceMs: 0 });
  }
}

for (const [name, make] of servers) {
  describe(name, () => {
    test("sends pings to a silent client, and keeps the connection while the client answers", () =>
      on(make(), echoService({ ...options, pingMs: patience }), async (port) => {
        const client = new WebSocket(`ws://127.0.0.1:${port}/`);
        await pinged(client, 3);
        assert.equal(client.readyState, WebSocket.OPEN);
        client.send("still here");
        assert.equal(String(((await once(client, "message")) as [Buffer])[0]), "still here");
        client.terminate();
      }));

    test("ends the connection of a client that does not answer a ping", () =>
      on(make(), echoService(options), async (port) => {
        const client = new WebSocket(`ws://127.0.0.1:${port}/`, { autoPong: false });
        let pings = 0;
        client.on("ping", () => (pings += 1));
        const [code] = (await once(client, "close")) as [number];
        assert.deepEqual([code, pings], [1006, 1]);
      }));

    test("counts the bytes that wait for a client, not the characters", async (t) => {
      if (name === "native")
        return t.skip("the engine counts bytes of frames: crates/kit-websocket/src/session.rs");
      const connections: Socket[] = [];
      const note = (message: unknown): void => void connections.push((message as { socket: Socket }).socket);
      subscribe("net.server.socket", note);
      try {
        const accepted = Promise.withResolvers<ServerSocket>();
        const service: ServerService = {
          ...echoService(options),
          handle: (exchange) =>
            accepted.resolve(exchange.acceptSocket!(options, { message() {}, drain() {}, closed() {} })),
        };
        await on(make(), service, async (port) => {
          const client = new WebSocket(`ws://127.0.0.1:${port}/`, { perMessageDeflate: false });
          await once(client, "open");
          client.pause();
          const socket = await accepted.promise;
          const text = "\u20ac".repeat(8 * 1024);
          const bytes = Buffer.byteLength(text);
          let sent = 0;
          while (socket.send(text)) sent += bytes;
          assert.ok(sent < 64 * 1024 * 1024);
          // node:http counts the bytes of texts that wait in `bytesWritten`, and those of the kernel in `_bytesDispatched`.
          const [connection] = connections as (Socket & { _bytesDispatched: number })[];
          const { bytesWritten, _bytesDispatched: dispatched } = connection!;
          const waiting = bytesWritten - dispatched;
          assert.ok(waiting <= 64 * 1024 + bytes, `${waiting} bytes wait`);
          client.terminate();
        });
      } finally {
        unsubscribe("net.server.socket", note);
      }
    });
  });
}
