// Tests that every server refuses a body above the maximum as soon as its size is known. The server must discard the bytes that the
// client still sends, so that the client can read the response.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { columns, type Served } from "./columns.ts";

quietStdout();

const bodyBytes = 1000;
const head = "POST /notes HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";
/** Time in milliseconds that counts as immediate. A server waits much longer for the rest of a body. */
const atOnceMs = 2000;

interface Client {
  readonly socket: Socket;
  /** Returns all data that the server has sent so far. */
  text(): string;
  /** Returns "end" or the code of an error after the server has closed its side of the connection, and `undefined` before that. */
  ended(): string | undefined;
}

function open(port: number): Client {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let text = "";
  let ended: string | undefined;
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  socket.on("end", () => (ended ??= "end"));
  socket.on("error", ({ code }: NodeJS.ErrnoException) => (ended ??= code ?? "error"));
  return { socket, text: () => text, ended: () => ended };
}

async function answerOf(client: Client): Promise<string> {
  const start = performance.now();
  while (!client.text().includes("\r\n\r\n{")) {
    assert.ok(performance.now() - start < atOnceMs, `no answer at once: ${client.text()}`);
    await sleep(5);
  }
  return client.text();
}

function assertRefused(text: string): void {
  assert.match(text, /^HTTP\/1\.1 413 /);
  assert.match(text, /\r\nconnection: close\r\n/i);
  assert.match(text, /"code":"PAYLOAD_TOO_LARGE"/);
}

for (const { name, serve } of columns) {
  describe(name, { concurrency: true }, () => {
    let app: Served;
    before(async () => {
      app = await serve({ bodyBytes });
    });
    after(() => app[Symbol.asyncDispose]());

    test("refuses a content length above the maximum before any byte of the body arrives", async () => {
      const client = open(app.port);
      client.socket.write(`${head}content-length: ${bodyBytes + 1}\r\n\r\n`);
      assertRefused(await answerOf(client));
      client.socket.destroy();
    });

    test("sends no 100 Continue for a body that is too large", async () => {
      const client = open(app.port);
      client.socket.write(`${head}expect: 100-continue\r\ncontent-length: 999999999\r\n\r\n`);
      assertRefused(await answerOf(client));
      client.socket.destroy();
    });

    test("refuses a chunked body as soon as it exceeds the maximum, before the last chunk", async () => {
      const client = open(app.port);
      client.socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      const piece = "x".repeat(100);
      for (let sent = 0; sent <= bodyBytes; sent += 100) {
        client.socket.write(`64\r\n${piece}\r\n`);
        await sleep(1);
      }
      assertRefused(await answerOf(client));
      client.socket.destroy();
    });

    test("continues to read, so that the connection of a client that still sends is not reset", async () => {
      const client = open(app.port);
      const total = 4 * 1024 * 1024;
      client.socket.write(`${head}content-length: ${total}\r\n\r\n`);
      const piece = Buffer.alloc(64 * 1024, "x");
      for (let sent = 0; sent < total; sent += piece.length) {
        client.socket.write(piece);
        await sleep(1);
      }
      assertRefused(await answerOf(client));
      client.socket.end();
      while (client.ended() === undefined) await sleep(5);
      assert.equal(client.ended(), "end");
      assert.equal(client.text().match(/HTTP\/1\.1 /g)?.length, 1);
      client.socket.destroy();
    });
  });
}
