// Tests that files of any size need little memory on every server, also if the client reads slowly. The long run
// (`KIT_LONG`) sends 1 GiB in place of 128 MiB.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { memoryInUse, steadyHeap } from "../../packages/core/test/support/steady-heap.ts";
import { edgeColumns } from "./edge-columns.ts";
import { notInRust } from "./rust.ts";

quietStdout();
steadyHeap();

const mebibyte = 1024 * 1024;
const size = (process.env["KIT_LONG"] === undefined ? 128 : 1024) * mebibyte;
const root = mkdtempSync(join(tmpdir(), "kit-static-memory-"));
process.once("exit", () => rmSync(root, { recursive: true, force: true }));

/** Creates a file without blocks, which needs no space. */
async function makeFile(name: string, bytes: number): Promise<void> {
  const file = await open(join(root, name), "w");
  await file.truncate(bytes);
  await file.close();
}

/** Receives a file. Returns the number of bytes of the response and the peak of the memory of this process. */
async function receive(port: number, name: string, pauseMs: number): Promise<[bytes: number, peak: number]> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /${name} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
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

notInRust("the memory of static files", "the Rust server is another process");
for (const [name, serve] of edgeColumns.filter(([server]) => server !== "rust")) {
  for (const pauseMs of [0, 5]) {
    const speed = pauseMs === 0 ? "a fast client" : "a slow client";
    test(`${name}: a file of any size needs at most 16 MiB more memory than an earlier one with ${speed}`, async (t) => {
      await makeFile("warm-up.bin", 16 * mebibyte);
      await makeFile("large.bin", size);
      await using app = await serve({ staticFiles: { dir: root } });
      await receive(app.port, "warm-up.bin", 0);
      const before = memoryInUse();
      const [bytes, peak] = await receive(app.port, "large.bin", pauseMs);
      assert.ok(bytes > size && bytes < size + 2000, `${bytes} bytes`);
      const growth = (peak - before) / mebibyte;
      t.diagnostic(`${size / mebibyte} MiB: ${growth.toFixed(1)} MiB more`);
      assert.ok(growth <= 16, `${growth} MiB`);
    });
  }
}
