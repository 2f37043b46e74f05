// Tests that uploads need little memory on every server, at any speed of the client and of the handler, and that aborted
// uploads leave nothing open. The long run (`KIT_LONG`) sends 1 GiB in place of 64 MiB.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import type { ServerExchange } from "@kit/types";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { gc, memoryInUse, steadyHeap } from "../../packages/core/test/support/steady-heap.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { piece, chunked, codeOf, head, open, readAll, say, serveUploads } from "./uploads.ts";

quietStdout();
steadyHeap();

const mebibyte = 1024 * 1024;
const size = (process.env["KIT_LONG"] === undefined ? 64 : 1024) * mebibyte;
/** Number of bytes of the upload before the measured one. */
const warmUp = 16 * mebibyte;
const client = fileURLToPath(new URL("upload-client.ts", import.meta.url));

/** Number of pauses of a slow client or handler during the upload. */
const pauses = 64;

/** Counts the bytes of a body, with a pause after each `size / pauses` bytes if `isSlow`. Returns the peak of the memory. */
async function countBytes(exchange: ServerExchange, isSlow: boolean): Promise<[bytes: number, peak: number]> {
  const reader = exchange.readBody!();
  let [bytes, peak, next] = [0, 0, 0];
  for (let part = await reader.read(); part !== null; part = await reader.read()) {
    bytes += part.length;
    if (bytes < next) continue;
    next += size / pauses;
    peak = Math.max(peak, memoryInUse());
    if (isSlow) await sleep(5);
  }
  return [bytes, peak];
}

notInRust(
  "the memory of uploads",
  "the handlers read from an adapter of Node; rust-uploads.test.ts tests the Rust server",
);
for (const [name, make] of servers) {
  for (const [speed, isSlowHandler, pauseMs] of [
    ["a fast client and a fast handler", false, 0],
    ["a slow handler", true, 0],
    ["a slow client", false, 1],
  ] as const) {
    test(`${name}: an upload of any size needs at most 16 MiB more memory than an earlier one with ${speed}`, async (t) => {
      let read: [bytes: number, peak: number] = [0, 0];
      await using app = await serveUploads(make(), async (exchange) => {
        read = await countBytes(exchange, isSlowHandler);
        say(exchange, "done");
      });
      const upload = async (bytes: number, pause = pauseMs): Promise<number> => {
        const argv = [client, app.port, bytes, pause].map(String);
        const { stdout } = await promisify(execFile)(process.execPath, argv);
        assert.match(stdout, /^HTTP\/1\.1 200 .*done/s);
        assert.equal(read[0], bytes);
        return read[1];
      };
      await upload(warmUp, 0);
      const before = memoryInUse();
      const growth = ((await upload(size)) - before) / mebibyte;
      t.diagnostic(`${size / mebibyte} MiB: ${growth.toFixed(1)} MiB more`);
      assert.ok(growth <= 16, `${growth} MiB`);
    });
  }

  test(
    `${name}: 1,000 aborted uploads leave neither descriptors nor memory`,
    { timeout: 60_000 },
    async (t) => {
      if (process.platform !== "linux") return t.skip("this system has no /proc/self/fd");
      const uploads = { begun: 0, ended: 0 };
      await using app = await serveUploads(make(), async (exchange) => {
        uploads.begun += 1;
        const reader = exchange.readBody!();
        // A third of the handlers reads the body, a third stops in the middle, and a third responds without reading.
        const kind = exchange.target.at(-1);
        if (kind === "0") await codeOf(readAll(reader));
        else if (kind === "1") await codeOf(reader.read());
        else await sleep(10);
        say(exchange, "done");
        uploads.ended += 1;
      });
      const abort = async (index: number): Promise<void> => {
        const target = `/notes?${index % 3}`;
        const request =
          index % 2 === 0
            ? `${head("content-length: 9999999")}${"x".repeat((index % 5) * 20_000)}`
            : `${head(chunked)}${piece("abc")}`;
        const { socket } = await open(app.port, request.replace("/notes", target));
        await sleep(index % 4);
        if (index % 7 < 3) socket.destroy();
        else socket.resetAndDestroy();
      };
      const left = (): number => app.server.connections!() + uploads.begun - uploads.ended;
      const round = async (): Promise<void> => {
        for (let index = 0; index < 1000; index += 50) {
          await Promise.all(Array.from({ length: 50 }, (_, at) => abort(index + at)));
        }
        const end = performance.now() + 20_000;
        while (left() > 0 && performance.now() < end) await sleep(5);
        assert.equal(left(), 0, "uploads or connections do not end");
        gc();
        await sleep(20);
        gc();
      };
      // Some memory is allocated only once.
      await round();
      const grown = async (): Promise<readonly [heap: number, resident: number]> => {
        const before = { descriptors: descriptors(), ...memory() };
        await round();
        assert.ok(descriptors() <= before.descriptors, `${before.descriptors} descriptors: ${descriptors()}`);
        const after = memory();
        const growth = [after.heap - before.heap, after.resident - before.resident] as const;
        const [heap, resident] = growth.map((mebibytes) => mebibytes.toFixed(1));
        t.diagnostic(`${heap} MiB more in the heap, ${resident} MiB in the process`);
        return growth;
      };
      let [heap, resident] = await grown();
      assert.ok(uploads.begun > 1000, `${uploads.begun} uploads began`);
      // On a busy machine, more uploads than before can wait at the same time, and the process keeps their memory for the next ones. Memory
      // that an upload leaves behind grows in each round.
      for (let rounds = 1; rounds < 3 && resident >= 16; rounds += 1) [heap, resident] = await grown();
      // One object that stays after each upload would need more than 1 KiB, and one buffer 64 KiB. The limit is higher, because the process does not return all memory to the system.
      assert.ok(heap < 1 && resident < 16, `${heap} and ${resident} MiB`);
    },
  );
}

/** Returns the memory of JavaScript and of the process, in MiB. */
function memory(): { readonly heap: number; readonly resident: number } {
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: (heapUsed + external) / mebibyte, resident: rss / mebibyte };
}

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}
