// Bodies of bytes that the handler reads while they arrive, on every server over real connections.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";

import { type AppOptions, createApp } from "@kit/core";
import type { ChunkedBody, CompiledRoute } from "@kit/types";

import { compiled, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

interface Read {
  readonly type: string;
  readonly bytes: number;
  readonly sum: number;
}
type Input = { readonly body: ChunkedBody };

async function readAll({ body }: Input): Promise<Read> {
  let [bytes, sum] = [0, 0];
  for await (const chunk of body) {
    bytes += chunk.length;
    for (const byte of chunk) sum += byte;
  }
  return { type: body.type, bytes, sum };
}

async function readFirst({ body }: Input): Promise<Read> {
  for await (const chunk of body)
    return { type: body.type, bytes: chunk.length, sum: chunk.reduce((sum, byte) => sum + byte, 0) };
  return { type: body.type, bytes: 0, sum: 0 };
}

/** Returns a route with a body in chunks. */
function chunks(ref: string, mediaTypes: readonly string[]): CompiledRoute {
  const response = responseOf("ChunksRead", { type: "string", bytes: "number", sum: "number" });
  return route(ref, { status: 200, response, bodyFormat: { format: "chunks", mediaTypes } } as never);
}

function options(): Omit<AppOptions, "server"> {
  return {
    compiled: compiled(
      chunks("PUT /chunks", ["video/mp4", "application/*"]),
      chunks("PUT /chunks/first", ["*/*"]),
    ),
    routes: [
      {
        handlers: { "PUT /chunks": readAll, "PUT /chunks/first": readFirst },
        on: { "PUT /chunks": { limits: { bodyBytes: 100_000 } } },
      },
    ],
    env: "development",
    logging: { level: "fatal" },
  } as unknown as Omit<AppOptions, "server">;
}

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

/** Sends the pieces of a request with pauses between them. Returns the response as text. */
async function sendPieces(port: number, pieces: readonly Uint8Array[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await setTimeout(20);
    socket.write(piece);
  }
  let received = "";
  for await (const chunk of socket.setEncoding("latin1")) {
    received += chunk;
    if (received.includes("}")) break;
  }
  socket.destroy();
  return received;
}

const targets: readonly [name: string, start: () => Promise<Started>][] = isRust
  ? [["rust", startOnRust]]
  : servers.map(([name, make]) => [
      name,
      async () => {
        const app = createApp({ ...options(), server: make() } as AppOptions);
        const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
        return { port, close: () => app.close({ graceMs: 1000 }) };
      },
    ]);

for (const [server, start] of targets) {
  describe(server, { concurrency: 4 }, () => {
    let app: Started;
    before(async () => {
      app = await start();
    });
    after(() => app.close());
    const put = async (body: Uint8Array<ArrayBuffer> | null, type?: string): Promise<[number, unknown]> => {
      const response = await fetch(`http://127.0.0.1:${app.port}/chunks`, {
        method: "PUT",
        body,
        headers: type === undefined ? {} : { "content-type": type },
      });
      return [response.status, await response.json()];
    };

    test("passes the bytes and the media type to the handler", async () => {
      const body = Uint8Array.from({ length: 90_000 }, (_, index) => index % 256);
      const sum = body.reduce((all, byte) => all + byte, 0);
      assert.deepEqual(await put(body, "Video/MP4; codecs=x"), [
        200,
        { type: "video/mp4", bytes: 90_000, sum },
      ]);
      assert.deepEqual(await put(Uint8Array.of(0, 0), "application/x-own"), [
        200,
        { type: "application/x-own", bytes: 2, sum: 0 },
      ]);
      assert.deepEqual(await put(null), [200, { type: "application/octet-stream", bytes: 0, sum: 0 }]);
    });

    test("refuses other media types with 415, and a body above the limit of the route with 413", async () => {
      assert.equal((await put(Uint8Array.of(1), "video/webm"))[0], 415);
      assert.equal((await put(Uint8Array.of(1)))[0], 415);
      assert.equal((await put(new Uint8Array(100_001), "video/mp4"))[0], 413);
    });

    test("passes small bodies that arrive with the head, after the head, and in chunks", async () => {
      // Without `connection: close`, so that the native server's fast path takes the requests.
      const head = "PUT /chunks HTTP/1.1\r\nhost: a\r\ncontent-type: application/x\r\n";
      for (const bytes of [
        [1],
        [65, 66, 10],
        [195, 164, 255],
        Array<number>(64).fill(97),
        Array<number>(65).fill(98),
      ]) {
        const body = Buffer.from(bytes);
        const size = Buffer.from(`transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`);
        const withLength = Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`);
        const inChunks = Buffer.concat([Buffer.from(head), size, body, Buffer.from("\r\n0\r\n\r\n")]);
        for (const pieces of [[Buffer.concat([withLength, body])], [withLength, body], [inChunks]]) {
          const text = await sendPieces(app.port, pieces);
          const sum = bytes.reduce((all, byte) => all + byte, 0);
          const expected = { type: "application/x", bytes: bytes.length, sum };
          assert.match(text, /^HTTP\/1\.1 200 /);
          assert.deepEqual(JSON.parse(/\{.*\}/.exec(text)![0]), expected);
        }
      }
    });

    test("calls the handler before the body is complete", async () => {
      const socket = connect({ port: app.port, host: "127.0.0.1" });
      socket.write(
        "PUT /chunks/first HTTP/1.1\r\nhost: a\r\ncontent-type: text/x\r\ncontent-length: 1000000\r\n\r\n\u0001\u0002",
      );
      let received = "";
      for await (const chunk of socket.setEncoding("latin1")) {
        received += chunk;
        if (received.includes("}")) break;
      }
      socket.destroy();
      assert.match(received, /^HTTP\/1\.1 200 /);
      assert.match(received, /"type":"text\/x"/);
      assert.match(received, /"bytes":2[,}]/);
    });
  });
}
