// Sends the cases of `conformance/websocket.json` over TCP to every server: whole, and in two parts. The Rust server gets the
// cases without messages, because its handlers receive only JSON. Tests of crates/kit-websocket run all cases.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";

import type { ServerAdapter } from "@kit/types";

import { isRust, type RustServed, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { echoService, type SocketEvent } from "./socket-echo.ts";

interface Case {
  readonly name: string;
  readonly input: string;
  readonly messages: readonly (string | { readonly hex: string })[];
  readonly close: number;
  readonly reason?: string;
  readonly pongs?: readonly string[];
  readonly compression?: true;
  readonly fast?: true;
}

const file = new URL("../../conformance/websocket.json", import.meta.url);
const { messageBytes, cases } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly messageBytes: number;
  readonly cases: readonly Case[];
};

const handshake =
  " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const contexts = "server_no_context_takeover; client_no_context_takeover";
const offer = `Sec-WebSocket-Extensions: permessage-deflate; ${contexts}\r\n`;

/** Frame of a server. */
interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

function* frames(bytes: Buffer): Generator<Frame> {
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at]!;
    let length = bytes[at + 1]!;
    at += 2;
    assert.ok(length < 128, "frames of a server are not masked");
    if (length === 126) {
      length = bytes.readUInt16BE(at);
      at += 2;
    }
    assert.equal(
      first & 0xf0,
      0x80,
      "each message of the echo is one frame, not compressed because it is small",
    );
    yield { opcode: first & 0x0f, payload: bytes.subarray(at, at + length) };
    at += length;
  }
}

/** Opens a connection. Returns it after the head of the response. */
async function open(port: number, compression: boolean, path: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  socket.write(`GET ${path}${handshake}${compression ? offer : ""}\r\n`);
  let head = "";
  while (!head.endsWith("\r\n\r\n")) head += String(((await once(socket, "data")) as [Buffer])[0]);
  assert.match(head, /^HTTP\/1\.1 101 /);
  assert.equal(/permessage-deflate/i.test(head), compression);
  return socket;
}

/** Sends parts, and returns the bytes that the server sends until it ends the connection. */
async function answer(
  port: number,
  parts: readonly Buffer[],
  compression: boolean,
  path = "/",
): Promise<Buffer> {
  const socket = await open(port, compression, path);
  const received = socket.toArray();
  for (const [index, part] of parts.entries()) {
    // The second part must arrive separately.
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 2));
    socket.write(part);
  }
  return Buffer.concat((await received) as Buffer[]);
}

/** Returns the input of a case as a whole, and in two parts. */
function waysOf(one: Case): readonly (readonly Buffer[])[] {
  const input = Buffer.from(one.input, "hex");
  const half = Math.floor(input.length / 2);
  return [[input], [input.subarray(0, half), input.subarray(half)]];
}

/** Checks the pongs and the close frame of a server. */
function checkControlFrames(one: Case, sent: readonly Frame[]): void {
  const pongs = sent.filter(({ opcode }) => opcode === 10);
  assert.deepEqual(
    pongs.map(({ payload }) => payload.toString("hex")),
    one.pongs ?? [],
  );
  const close = sent.at(-1)!;
  assert.equal(close.opcode, 8, "the last frame is a close frame");
  const code = close.payload.length === 0 ? 1005 : close.payload.readUInt16BE(0);
  assert.equal(code, one.close);
}

if (isRust) {
  describe("rust", () => {
    let app: RustServed;
    before(async () => {
      const variables = { SOCKET_COMPRESSION: "true", SOCKET_PING_MS: "60000" };
      app = await startRust("rust-server", { bodyBytes: messageBytes }, "production", variables);
    });
    after(() => app[Symbol.asyncDispose]());

    for (const one of cases.filter(({ messages }) => messages.length === 0)) {
      test(`handles this case of frames: ${one.name}`, async () => {
        for (const parts of waysOf(one)) {
          const sent = [...frames(await answer(app.port, parts, one.compression === true, "/echo"))];
          checkControlFrames(one, sent);
          assert.deepEqual(
            sent.filter(({ opcode }) => opcode < 8),
            [],
          );
        }
      });
    }
  });
}

for (const [name, make] of servers) {
  describe(name, () => {
    let server: ServerAdapter;
    let port: number;
    let events: SocketEvent[] = [];

    before(async () => {
      server = make();
      const options = { messageBytes, compression: true, pingMs: 60_000, protocol: null, headers: null };
      const service = echoService(options, (event) => void events.push(event));
      ({ port } = await server.listen(service, { port: 0, host: "127.0.0.1" }));
    });
    after(() => server.close({ graceMs: 0 }));

    /** Sends parts, and returns the frames that the server sends until it ends the connection. */
    async function exchange(parts: readonly Buffer[], compression: boolean): Promise<Frame[]> {
      events = [];
      const bytes = await answer(port, parts, compression);
      for (let tries = 0; tries < 500 && !events.some((event) => "closed" in event); tries++)
        await new Promise((resolve) => setTimeout(resolve, 2));
      return [...frames(bytes)];
    }

    function check(one: Case, sent: readonly Frame[]): void {
      const messages = events.flatMap((event) => ("message" in event ? [event.message] : []));
      const shown = messages.map((data) =>
        typeof data === "string" ? data : { hex: Buffer.from(data).toString("hex") },
      );
      assert.deepEqual(shown, one.messages);
      const end = events.at(-1)!;
      assert.ok("closed" in end, "the socket has ended");
      assert.equal(end.closed, one.close);
      if (one.reason !== undefined) assert.equal(end.reason, one.reason);
      checkControlFrames(one, sent);
      const echoes = sent.filter(({ opcode }) => opcode === 1 || opcode === 2);
      assert.equal(echoes.length, messages.length);
    }

    for (const one of cases) {
      test(`handles this case of frames: ${one.name}`, async (t) => {
        if (one.fast === true && name !== "native")
          return t.skip("ws checks the text of complete messages only");
        for (const parts of waysOf(one)) check(one, await exchange(parts, one.compression === true));
      });
    }
  });
}
