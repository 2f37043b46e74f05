// Tests that the memory of many connections and of large bodies is returned to the system after they end.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { isGlibc } from "../src/libc.ts";

const readers = 400;
/** Fewer connections than those of a burst of connections. */
const uploaders = 60;
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

/** Uploads a body on a connection of its own, and waits for the response. */
async function upload(port: number, bytes: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`POST /notes HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-length: ${bytes}\r\n\r\n`);
  socket.write(Buffer.alloc(bytes, 97));
  await socket.resume().toArray();
}

/** Starts a program of this directory, which prints its port. */
async function start(program: string): Promise<{ process: ChildProcess; pid: number; port: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, program)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { process: child, pid: child.pid!, port: Number(line.toString()) };
}

/** Waits up to half a minute until a process has at most this memory. Returns its memory at the end. */
async function awaitMemory(pid: number, goal: number): Promise<number> {
  for (let left = 300; left > 0 && residentMebibytes(pid) > goal; left -= 1) await sleep(100);
  return residentMebibytes(pid);
}

const options = {
  timeout: 120_000,
  skip: isMeasured ? false : "other allocators return memory by themselves",
};

test(
  "the memory of slow readers of streams goes back to the system after they disconnect",
  options,
  async () => {
    const server = await start("streaming-application.ts");
    try {
      const before = residentMebibytes(server.pid);
      const sockets = await Promise.all(Array.from({ length: readers }, () => slowReader(server.port)));
      const during = residentMebibytes(server.pid);
      for (const socket of sockets) socket.destroy();
      const goal = before + (during - before) / 2;
      assert.ok(during - before > 20, `${during - before} MiB are too few for a result`);
      const after = await awaitMemory(server.pid, goal);
      assert.ok(after <= goal, `${before} MiB became ${during}, and are ${after} after half a minute`);
    } finally {
      server.process.kill();
    }
  },
);

test("the memory of uploads on few connections goes back to the system after they end", options, async () => {
  const server = await start("uploading-application.ts");
  try {
    const before = residentMebibytes(server.pid);
    for (let round = 0; round < 4; round += 1) {
      const sizes = Array.from({ length: uploaders }, (_, index) => 300_000 + 30_000 * index);
      await Promise.all(sizes.map((bytes) => upload(server.port, bytes)));
    }
    const during = residentMebibytes(server.pid);
    const goal = before + (during - before) / 2;
    assert.ok(during - before > 40, `${during - before} MiB are too few for a result`);
    const after = await awaitMemory(server.pid, goal);
    assert.ok(after <= goal, `${before} MiB became ${during}, and are ${after} after half a minute`);
  } finally {
    server.process.kill();
  }
});
