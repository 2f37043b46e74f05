// Tests servers whose standard output is closed, not read, or on a full disk.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "../../packages/core/test/support/free-port.ts";
import { Cluster, until } from "./support/cluster.ts";
import { canMountDisk, migrate, missing, NotesServer, type Runtime } from "./support/notes-server.ts";

/** Number of requests that write a log entry each: more than a pipe and a disk of this test have space for. */
const requests = 1_500;
const clients = 16;

let cluster: Cluster;
let directory: string;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), "kit-unread-"));
  cluster = await Cluster.start();
  await migrate(cluster);
});
after(async () => {
  await cluster?.remove();
  rmSync(directory, { recursive: true, force: true });
});

/** Sends requests while PostgreSQL is down. The server must respond to each with 503 in time, and must recover later. */
async function assertServing(server: NotesServer, count: number): Promise<void> {
  await cluster.stop();
  let left = count;
  const send = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      assert.equal((await server.get("/notes", AbortSignal.timeout(10_000))).status, 503);
    }
  };
  try {
    await Promise.all(Array.from({ length: clients }, send));
  } finally {
    await cluster.run();
  }
  // The Rust server notices within a second that the database works again. It responds with 503 until then.
  const deadline = Date.now() + 10_000;
  let { status } = await server.get("/notes");
  while (status === 503 && Date.now() < deadline) {
    await sleep(50);
    ({ status } = await server.get("/notes"));
  }
  assert.equal(status, 200);
}

/** Returns the number of requests that a log reports, as entries and as dropped entries. */
function failuresIn(log: string): { readonly entries: number; readonly dropped: number } {
  const lines = log.trimEnd().split("\n");
  const dropped = lines.map((line) => Number(/(\d+) log entries were dropped: /.exec(line)?.[1] ?? 0));
  return {
    entries: lines.filter((line) => line.includes('"traceId"')).length,
    dropped: dropped.reduce((sum, count) => sum + count, 0),
  };
}

function serve(what: string, run: (runtime: Runtime, context: TestContext) => Promise<void>): void {
  for (const runtime of ["node", "rust"] as const) {
    const options = { timeout: 120_000, skip: missing(runtime) ?? false };
    it(`the notes API on ${runtime} serves requests and stops normally ${what}`, options, (context) =>
      run(runtime, context),
    );
  }
}

serve("after the reader of its output has closed the pipe", async (runtime) => {
  const server = await NotesServer.startUnread(runtime, cluster.url, await freePort());
  try {
    await assertServing(server, 3);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

serve("while the reader of its output does not read", async (runtime, context) => {
  const fifo = join(directory, `fifo-${runtime}`);
  execFileSync("mkfifo", [fifo]);
  const pipe = openSync(fifo, "r+");
  try {
    const server = await NotesServer.startWritingTo(pipe, runtime, cluster.url, await freePort());
    try {
      await assertServing(server, requests);
    } finally {
      const began = performance.now();
      assert.equal(await server.stop(), 0);
      context.diagnostic(`the server stopped in ${Math.round(performance.now() - began)} ms`);
    }
    const bytes = Buffer.alloc(1024 * 1024);
    const log = bytes.toString("utf8", 0, readSync(pipe, bytes));
    assert.ok(log.length < requests * 100, "the pipe was never full");
  } finally {
    closeSync(pipe);
  }
});

serve("while the disk with its log is full, and writes the log later", async (runtime, context) => {
  if (!canMountDisk(directory)) {
    context.skip("this machine does not permit to mount a disk");
    return;
  }
  const port = await freePort();
  const { server, disk } = await NotesServer.startOnFullDisk(runtime, cluster.url, port, directory);
  const log = (): string => readFileSync(join(disk, "log"), "utf8");
  try {
    await assertServing(server, requests);
    const early = failuresIn(log());
    unlinkSync(join(disk, "ballast"));
    await until(() => {
      const { entries, dropped } = failuresIn(log());
      return entries + dropped >= requests;
    }, "the log to be written");
    const { entries, dropped } = failuresIn(log());
    context.diagnostic(
      `${requests} requests with a log entry; ${early.entries} entries on the full disk; later ${entries}, and ${dropped} dropped`,
    );
    assert.ok(early.entries < entries);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});
