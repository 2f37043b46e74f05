// Tests that a stream of bytes of any size needs little memory on every server, also if the client reads slowly, and that
// clients that leave at any position end the stream. The long run (`KIT_LONG`) sends 1 GiB in place of 128 MiB, and has 1,000
// clients that leave in place of 100.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { createApp } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { memoryInUse, steadyHeap } from "../../packages/core/test/support/steady-heap.ts";
import { bodyOptions } from "./bodies-application.ts";
import { isRust, peakOf, type RustServed, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();
steadyHeap();

const mebibyte = 1024 * 1024;
const isLong = process.env["KIT_LONG"] !== undefined;
const size = (isLong ? 1024 : 128) * mebibyte;
/** Number of clients that leave. */
const leaving = isLong ? 1000 : 100;

/** Returns a request with further header fields. */
function requestWith(fields: string): string {
  return `GET /image HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${fields}\r\n`;
}

/** Receives a stream. Returns the number of bytes of the response and the peak of the memory of this process. */
async function receive(port: number, pauseMs: number, fields = ""): Promise<[bytes: number, peak: number]> {
  const socket = connect(port, "127.0.0.1");
  socket.write(requestWith(fields));
  let [bytes, peak, next] = [0, 0, 0];
  for await (const chunk of socket) {
    bytes += (chunk as Buffer).length;
    if (bytes < next) continue;
    next += size / 64;
    peak = Math.max(peak, memoryInUse());
    if (pauseMs > 0) await sleep(pauseMs);
  }
  return [bytes, peak];
}

/** Begins a stream, and leaves before its head, within its head, or within its body. */
async function leave(port: number, index: number, fields: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = [0, 1, 100, 70_000, 1_000_000][index % 5]!;
  let received = 0;
  const end = (): void => {
    if (index % 2 === 0) socket.destroy();
    else socket.resetAndDestroy();
  };
  socket.on("error", () => undefined).on("close", () => resolve());
  socket.on("data", (chunk) => {
    received += chunk.length;
    if (received >= stop) end();
  });
  socket.write(requestWith(fields), () => {
    if (stop === 0) end();
  });
  return promise;
}

/** Clients begin a stream and leave at different positions. */
async function leaveOften(port: number, fields = ""): Promise<void> {
  for (let index = 0; index < leaving; index += 50)
    await Promise.all(Array.from({ length: 50 }, (_, at) => leave(port, index + at, fields)));
}

/** Returns the header field that asks the Rust server for a number of bytes. */
function ask(bytes: number): string {
  return `x-mode: ${bytes}\r\n`;
}

function serveRust(): Promise<RustServed> {
  return startRust("rust-server", { bodyBytes: 1024 });
}

if (isRust) {
  for (const pauseMs of [0, 5]) {
    const speed = pauseMs === 0 ? "a fast client" : "a slow client";
    test(`rust: a stream of any size needs at most 4 MiB more memory than an earlier one with ${speed}`, async (t) => {
      if (process.platform !== "linux") return t.skip("this system has no /proc");
      await using app = await serveRust();
      await receive(app.port, 0, ask(64 * mebibyte));
      const before = peakOf(app);
      const [received] = await receive(app.port, pauseMs, ask(size));
      assert.ok(received > size && received < size * 1.01, `${received} bytes`);
      const growth = peakOf(app) - before;
      t.diagnostic(`${size / mebibyte} MiB: ${growth.toFixed(1)} MiB more`);
      assert.ok(growth <= 4, `${growth} MiB`);
    });
  }

  test(`rust: ${leaving} clients that leave a stream at any position end the stream and leave no descriptors`, async (t) => {
    if (process.platform !== "linux") return t.skip("this system has no /proc");
    await using app = await serveRust();
    await receive(app.port, 0, ask(1));
    const count = (text: string): number => app.log!().split(text).length - 1;
    const earlier = descriptors(app.pid);
    await leaveOften(app.port, ask(size));
    const isOpen = (): boolean =>
      count("the image begins") > count("the image is dropped") || descriptors(app.pid) > earlier;
    const deadline = performance.now() + 20_000;
    while (isOpen() && performance.now() < deadline) await sleep(10);
    assert.ok(count("the image begins") >= leaving * 0.6, `${count("the image begins")} streams began`);
    assert.equal(count("the image begins"), count("the image is dropped"), "streams do not end");
    assert.ok(descriptors(app.pid) <= earlier, `${descriptors(app.pid) - earlier} descriptors stay open`);
  });
}

for (const [name, make] of servers) {
  const streams = { begun: 0, ended: 0 };
  let length = size;

  async function* bytes(): AsyncGenerator<Uint8Array> {
    streams.begun += 1;
    try {
      for (let sent = 0; sent < length; sent += 65_536) yield new Uint8Array(Math.min(65_536, length - sent));
    } finally {
      streams.ended += 1;
    }
  }
  const serve = async (): Promise<{ readonly port: number } & AsyncDisposable> => {
    const app = createApp({ ...bodyOptions({ "GET /image": () => bytes() }), server: make() });
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
  };

  for (const pauseMs of [0, 5]) {
    const speed = pauseMs === 0 ? "a fast client" : "a slow client";
    test(`${name}: a stream of any size needs at most 16 MiB more memory than an earlier one with ${speed}`, async (t) => {
      await using app = await serve();
      length = 16 * mebibyte;
      await receive(app.port, 0);
      length = size;
      const before = memoryInUse();
      const [received, peak] = await receive(app.port, pauseMs);
      assert.ok(received > size && received < size * 1.01, `${received} bytes`);
      const growth = (peak - before) / mebibyte;
      t.diagnostic(`${size / mebibyte} MiB: ${growth.toFixed(1)} MiB more`);
      assert.ok(growth <= 16, `${growth} MiB`);
    });
  }

  test(`${name}: ${leaving} clients that disconnect at any position of a stream end the stream, and all descriptors are closed`, async (t) => {
    if (process.platform !== "linux") return t.skip("this system has no /proc/self/fd");
    await using app = await serve();
    length = size;
    Object.assign(streams, { begun: 0, ended: 0 });
    const earlier = descriptors();
    await leaveOften(app.port);
    const deadline = performance.now() + 20_000;
    while ((streams.begun > streams.ended || descriptors() > earlier) && performance.now() < deadline)
      await sleep(10);
    assert.ok(streams.begun >= leaving * 0.8, `${streams.begun} streams began`);
    assert.equal(streams.begun - streams.ended, 0, "streams do not end");
    assert.ok(descriptors() <= earlier, `${earlier} descriptors became ${descriptors()}`);
  });
}

function descriptors(pid: number | "self" = "self"): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
