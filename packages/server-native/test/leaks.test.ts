import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";

import type { ServerExchange } from "@kit/types";

import { steadyHeap } from "../../core/test/support/steady-heap.ts";
import { engineTest, isFallback, json, serve } from "./support.ts";

// With an explicit garbage collection, the test measures the memory that is still in use and not garbage.
setFlagsFromString("--expose-gc");
steadyHeap();
const gc = runInNewContext("gc") as () => void;

/** Returns the number of open file descriptors of this process; `undefined` if the operating system has no `/proc/self/fd`. */
function descriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}

/**
 * Returns the used memory in bytes. This is all memory of the process for the native server, and the size of the JavaScript heap for the
 * fallback.
 */
function memory(): number {
  if (!isFallback) return process.memoryUsage.rss();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Sends bytes and disconnects without reading a response: by a TCP reset, or by closing the socket. */
async function vanish(port: number, bytes: string, how: "reset" | "close"): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket: Socket = connect(port, "127.0.0.1", () => {
    socket.write(bytes, () => (how === "reset" ? socket.resetAndDestroy() : socket.destroy()));
  });
  socket.on("error", () => undefined);
  socket.once("close", () => resolve());
  await promise;
}

const head = "HTTP/1.1\r\nHost: a\r\n";
const handshake = `GET /notes/socket ${head}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n\r\n`;

/** Opens a WebSocket, sends messages and a half of a large message, and disconnects. */
async function vanishInMessage(port: number, how: "reset" | "close"): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket: Socket = connect(port, "127.0.0.1", () => socket.write(handshake));
  // A compressed message, a small message, and the beginning of a message of 100,000 bytes, with masks of zeros.
  const hello = [0xc1, 0x87, 0, 0, 0, 0, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00];
  const begun = [0x82, 0xff, 0, 0, 0, 0, 0, 1, 0x86, 0xa0, 0, 0, 0, 0];
  const bytes = Buffer.concat([
    Buffer.from(hello),
    Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x61, ...begun]),
    Buffer.alloc(50_000),
  ]);
  socket.once("data", () =>
    socket.write(bytes, () => (how === "reset" ? socket.resetAndDestroy() : socket.destroy())),
  );
  socket.on("error", () => undefined);
  socket.once("close", () => resolve());
  await promise;
}

/** Accepts a WebSocket that sends large messages, while the client may not read. */
function acceptSocket(exchange: ServerExchange): void {
  if (exchange.acceptSocket === undefined) return json(exchange, 1);
  const options = { messageBytes: 200_000, compression: true, pingMs: 60_000, protocol: null, headers: null };
  const socket = exchange.acceptSocket(options, {
    message: () => void socket.send("z".repeat(100_000)),
    drain: () => undefined,
    closed: () => undefined,
  });
}
const mischief = [
  `GET /notes ${head}\r\n`,
  `GET /notes/later ${head}\r\n`,
  `GET /notes ${head}`,
  `GET /notes/stream ${head}\r\n`,
  `GET /notes/stream ${head}\r\n`.repeat(3),
  `POST /notes ${head}Content-Length: 500000\r\n\r\n${"x".repeat(100_000)}`,
  `POST /notes ${head}Content-Length: 5000000\r\n\r\n${"x".repeat(100_000)}`,
  `POST /notes ${head}Transfer-Encoding: chunked\r\n\r\nffff\r\n${"x".repeat(30_000)}`,
  `POST /notes ${head}Transfer-Encoding: chunked\r\n\r\nno size\r\n`,
  `GET /notes HTTP/1.1\r\n\r\n`,
  `${`GET /notes ${head}\r\n`.repeat(50)}`,
  handshake,
  `${handshake}${handshake}`,
];

const piece = Buffer.alloc(50_000, "z");

/** Responds with an endless stream, which stops if the client disconnects. */
function pour(exchange: ServerExchange): void {
  const fill = (): void => {
    while (writer.write(piece));
  };
  const writer = exchange.respondStream!(200, null, null, null, { drain: fill, abort: () => undefined });
  fill();
}

test("clients that disconnect leak neither file descriptors nor memory", { timeout: 60_000 }, async (t) => {
  if (descriptors() === undefined) return t.skip("this system has no /proc/self/fd");
  await using app = await serve((exchange) => {
    if (exchange.target === "/notes/later") setTimeout(() => json(exchange, 1), 20);
    else if (exchange.target === "/notes/stream") pour(exchange);
    else if (exchange.target === "/notes/socket") acceptSocket(exchange);
    else json(exchange, "y".repeat(100_000), exchange.bodyTooLarge ? 413 : 200);
  });
  const { connections } = app.server.getNativeServer() as { connections(): number };
  const round = async (): Promise<void> => {
    const clients = mischief.flatMap((bytes) => [
      vanish(app.address.port, bytes, "reset"),
      vanish(app.address.port, bytes, "close"),
    ]);
    const { port } = app.address;
    await Promise.all([...clients, vanishInMessage(port, "reset"), vanishInMessage(port, "close")]);
  };
  const settled = async (): Promise<void> => {
    while (connections.call(app.server.getNativeServer()) > 0) await sleep(5);
    // Objects with finalizers are freed only by a second collection.
    gc();
    await sleep(50);
    gc();
  };
  // Some memory is allocated only once. These rounds allocate it before the measurement.
  for (let index = 0; index < 100; index += 1) await round();
  await settled();
  const before = { open: descriptors()!, bytes: memory() };
  for (let index = 0; index < 100; index += 1) await round();
  await settled();
  // The clients run in this process, and their sockets close some time later.
  for (let left = 100; left > 0 && descriptors()! > before.open; left -= 1) await sleep(10);
  assert.ok(descriptors()! <= before.open, `${before.open} descriptors became ${descriptors()}`);
  // The test opens two thousand connections. A leaked connection would use at least 10 KiB, and most would use 100 KiB.
  const growth = (memory() - before.bytes) / 1024 / 1024;
  assert.ok(growth < (isFallback ? 8 : 20), `${growth.toFixed(1)} MiB more`);
});

engineTest("servers start and stop in worker threads without leaks", { timeout: 120_000 }, async () => {
  const support = JSON.stringify(new URL("./support.ts", import.meta.url).href);
  const script = (end: string): string => `
    const { serve, json, raw } = await import(${support});
    const { parentPort } = await import("node:worker_threads");
    const app = await serve((exchange) => {
      if (exchange.target === "/notes/stream") {
        const writer = exchange.respondStream(200, null, null, null, { drain() {}, abort() {} });
        setInterval(() => writer.write(Buffer.alloc(1000)), 0);
      } else if (exchange.target === "/notes/socket") {
        const options = { messageBytes: 9, compression: true, pingMs: 1, protocol: null, headers: null };
        const socket = exchange.acceptSocket(options, { message() {}, drain() {}, closed() {} });
        socket.send("y".repeat(10000));
      } else if (exchange.target !== "/notes/never") json(exchange, 1);
    });
    const answer = await raw(app.address.port, "GET /notes HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n");
    parentPort.postMessage(answer.slice(0, 15));
    ${end}
  `;
  const before = descriptors();
  // Opens connections: without a response, with a stream, with an incomplete upload, and with a response that the client does not read.
  const underWay = `
    const { connect } = await import("node:net");
    for (const bytes of ["GET /notes/never HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n",
      "GET /notes/stream HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n",
      ${JSON.stringify(handshake)},
      "POST /notes HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 9\\r\\n\\r\\nhalf",
      "GET /notes HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n"]) {
      for (let count = 0; count < 3; count += 1) {
        connect(app.address.port, "127.0.0.1").on("error", () => {}).write(bytes);
      }
    }
  `;
  // Ways in which a worker thread ends: it closes its server; it exits without closing; it exits, or is terminated, with requests in
  // progress.
  const ends = [
    "await app.server.close({ graceMs: 0 });",
    "process.exit(0);",
    `${underWay} setTimeout(() => process.exit(0), 5);`,
    `${underWay} setTimeout(() => parentPort.postMessage("terminate me"), 5); setInterval(() => {}, 1000);`,
  ];
  for (let index = 0; index < 104; index += ends.length) {
    const workers = ends.map(async (end) => {
      const url = new URL(`data:text/javascript,${encodeURIComponent(script(end))}`);
      const worker = new Worker(url);
      const messages: unknown[] = [];
      let code = 0;
      worker.on("message", (message) => {
        if (message !== "terminate me") return messages.push(message);
        code = 1;
        return worker.terminate();
      });
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      worker.once("error", reject).once("exit", resolve);
      assert.equal(await promise, code);
      assert.deepEqual(messages, ["HTTP/1.1 200 OK"]);
    });
    await Promise.all(workers);
  }
  if (before === undefined) return;
  // Node itself keeps a few descriptors open.
  for (let left = 100; left > 0 && descriptors()! > before + 10; left -= 1) await sleep(10);
  assert.ok(descriptors()! <= before + 10, `${before} descriptors became ${descriptors()}`);
});
