// Messages of WebSockets in plain text and in bytes, on every server over real connections.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";

import { WebSocket } from "ws";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { createMessageApp } from "./messages-application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { handshake } from "./socket-client.ts";

quietStdout();

/** Application that runs on a server. */
interface Started {
  readonly port: number;
  close(): Promise<void>;
}

async function startOnRust(): Promise<Started> {
  const program = await startRust("rust-server", { bodyBytes: 1024 * 1024 }, "development", {
    LOG_LEVEL: "fatal",
  });
  return {
    port: program.port,
    close: async () => {
      await program.stop!();
    },
  };
}

const targets: readonly [name: string, start: () => Promise<Started>][] = isRust
  ? [["rust", startOnRust]]
  : servers.map(([name, make]) => [
      name,
      async () => {
        const app = createMessageApp(make());
        const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
        return { port, close: () => app.close({ graceMs: 1000 }) };
      },
    ]);

/** Sends messages one after the other. Returns the messages of the server, and the code of its close frame after the last one. */
async function talk(
  port: number,
  path: string,
  messages: readonly (string | Uint8Array)[],
): Promise<{ received: (string | Buffer)[]; code: number; reason: string }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false });
  const received: (string | Buffer)[] = [];
  socket.on("message", (data, isBinary) =>
    received.push(isBinary ? (data as Buffer) : (data as Buffer).toString()),
  );
  await once(socket, "open");
  for (const message of messages) socket.send(message);
  const ended = once(socket, "close");
  const timer = setInterval(() => {
    if (messages.length > 0 && received.length === messages.length) socket.close(1000);
  }, 5);
  const [code, reason] = await ended;
  clearInterval(timer);
  return { received, code: code as number, reason: String(reason) };
}

/** Sends a frame as it is after a handshake. Returns the code of the close frame of the server. */
async function sendFrame(port: number, path: string, frame: Uint8Array): Promise<number> {
  const socket = connect({ port, host: "127.0.0.1" });
  const lines = Object.entries(handshake).map(([key, value]) => `${key}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n${lines.join("")}\r\n`);
  let bytes = Buffer.alloc(0);
  let isSent = false;
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    const end = bytes.indexOf("\r\n\r\n");
    if (end === -1) continue;
    if (!isSent) socket.write(frame);
    isSent = true;
    const rest = bytes.subarray(end + 4);
    if (rest.length >= 4) {
      assert.equal(rest[0], 0x88, "a close frame");
      socket.destroy();
      return rest.readUInt16BE(2);
    }
  }
  throw new Error("the connection has ended without a close frame");
}

for (const [server, start] of targets) {
  describe(server, { concurrency: 8 }, () => {
    let app: Started;
    let port: number;
    before(async () => {
      app = await start();
      ({ port } = app);
    });
    after(() => app.close());

    test("sends plain text to the handler and back", async () => {
      const texts = ["hello", "", '{"text":1}', "not JSON", "ü😀".repeat(10_000)];
      const { received, code } = await talk(port, "/messages/text", texts);
      assert.deepEqual(received, texts);
      assert.equal(code, 1000);
    });

    test("sends bytes to the handler and back, also if the handler changes them after it has sent them", async () => {
      const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
      const large = Buffer.alloc(70_000, 7);
      const { received, code } = await talk(port, "/messages/bytes", [all, Buffer.alloc(0), large]);
      assert.deepEqual(received, [all, Buffer.alloc(0), large]);
      assert.equal(code, 1000);
    });

    test("keeps the kind and the order of messages if both are allowed", async () => {
      const messages = ["a", Buffer.from("b"), Buffer.from("c"), "d"];
      assert.deepEqual((await talk(port, "/messages/both", messages)).received, messages);
      const mixed = ['{"text":"a"}', Buffer.from("b"), '{"text":"c"}'];
      assert.deepEqual((await talk(port, "/messages/mixed", mixed)).received, mixed);
    });

    test("refuses messages of another kind with 1003", async () => {
      const binary = await talk(port, "/messages/text", [Buffer.from("a")]);
      assert.deepEqual(binary, { received: [], code: 1003, reason: "$: expected a text message" });
      const text = await talk(port, "/messages/bytes", ["a"]);
      assert.deepEqual(text, { received: [], code: 1003, reason: "$: expected a binary message" });
    });

    test("checks JSON beside binary messages", async () => {
      assert.equal((await talk(port, "/messages/mixed", ["not JSON"])).code, 1007);
      const { code, reason } = await talk(port, "/messages/mixed", ["{}"]);
      assert.equal(code, 1008);
      assert.match(reason, /^\$\.text: expected /);
    });

    test("refuses text that databases cannot store with 1008, and text that is not UTF-8 with 1007", async () => {
      const { code, reason } = await talk(port, "/messages/text", ["a\0b"]);
      assert.equal(code, 1008);
      assert.match(reason, /^\$: expected string without U\+0000/);
      assert.deepEqual((await talk(port, "/messages/bytes", [Buffer.from("a\0b")])).received, [
        Buffer.from("a\0b"),
      ]);
      // A text frame with a mask of 0 and an invalid byte.
      assert.equal(
        await sendFrame(port, "/messages/text", Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff])),
        1007,
      );
    });

    test("refuses larger messages than the route allows with 1009", async () => {
      const most = Buffer.alloc(1000, 1);
      assert.deepEqual((await talk(port, "/messages/both", [most])).received, [most]);
      assert.equal((await talk(port, "/messages/both", [Buffer.alloc(1001)])).code, 1009);
      assert.equal((await talk(port, "/messages/both", ["x".repeat(1001)])).code, 1009);
    });

    if (!isRust)
      test("closes with 1011 if the handler sends another kind of message than the contract declares", async () => {
        const { code, reason } = await talk(port, "/messages/wrong", []);
        assert.deepEqual([code, reason], [1011, "$: expected string"]);
      });
  });
}
