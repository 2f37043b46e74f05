// Tests that the memory of many connections is returned to the system after they end.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { isGlibc } from "../src/libc.ts";

const readers = 400;
const isMeasured = process.platform === "linux" && isGlibc() && process.env["KIT_SERVER"] !== "node";

/** Returns the resident memory of a process in MiB. */
function residentMebibytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
}

/** Connects a client that requests a stream and does not read more than its first bytes. */
async function slowReader(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("GET /stream HTTP/1.1\r\nhost: test\r\n\r\n");
  await once(socket, "readable");
  return socket;
}

test(
  "the memory of slow readers of streams goes back to the system after they disconnect",
  { timeout: 120_000, skip: isMeasured ? false : "other allocators return memory by themselves" },
  async () => {
    const server = spawn(process.execPath, [join(import.meta.dirname, "streaming-application.ts")], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      const [line] = (await once(server.stdout, "data")) as [Buffer];
      const port = Number(line.toString());
      const before = residentMebibytes(server.pid!);
      const sockets = await Promise.all(Array.from({ length: readers }, () => slowReader(port)));
      const during = residentMebibytes(server.pid!);
      for (const socket of sockets) socket.destroy();
      const goal = before + (during - before) / 2;
      assert.ok(during - before > 20, `${during - before} MiB are too few for a result`);
      for (let left = 300; left > 0 && residentMebibytes(server.pid!) > goal; left -= 1) await sleep(100);
      const after = residentMebibytes(server.pid!);
      assert.ok(after <= goal, `${before} MiB became ${during}, and are ${after} after half a minute`);
    } finally {
      server.kill();
    }
  },
);
