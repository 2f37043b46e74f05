// History on disk: it survives restarts, is bounded, shared by processes, and never in the application's way.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { ask, json, start, until, type WithSidecar } from "./support/sidecar.ts";

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "kit-debug-"));
});
after(() => rm(directory, { recursive: true, force: true }));

interface Lists {
  requests: { target: string; requestId: string }[];
  errors: { code: string; requestId: string }[];
  logs: { message: string }[];
}

async function listsOf(app: WithSidecar): Promise<Lists> {
  const { requests } = await app.ok<Lists>("/_debug/requests");
  const { errors } = await app.ok<Lists>("/_debug/errors");
  const { logs } = await app.ok<Lists>("/_debug/logs?level=debug");
  return { requests, errors, logs };
}

describe("a store", () => {
  it("keeps what happened before a restart", async () => {
    const store = join(directory, "new/history.db");
    const first = await start({ store });
    await first.send("GET /things/7");
    await first.send("GET /things/none");
    await first.send("POST /things", json({ name: 1 }));
    const known = await listsOf(first);
    assert.deepEqual(
      known.requests.map(({ target }) => target),
      ["/things", "/things/none", "/things/7"],
    );
    await first.close();
    assert.equal((await stat(store)).mode & 0o777, 0o600);

    const second = await start({ store });
    const { requests, errors, logs } = await listsOf(second);
    assert.deepEqual([requests, errors], [known.requests, known.errors]);
    assert.ok(logs.some(({ message }) => message === "Thing read"));
    const { requestId } = requests[1]!;
    const one = await second.ok<{ error: { code: string } }>(`/_debug/requests/${requestId}`);
    assert.equal(one.error.code, "THING_NOT_FOUND");
    await second.send("GET /things/8");
    const figures = await second.ok("/_debug/performance?route=/things/:id&window=1h");
    assert.equal(figures["count"], 3);
    const filtered = await second.ok<Lists>("/_debug/requests?route=/things/:id&status=400&since=1h&limit=5");
    assert.deepEqual(
      filtered.requests.map(({ target }) => target),
      ["/things/none"],
    );
    await second.close();
  });

  it("is one for all that write into it", async () => {
    const store = join(directory, "shared.db");
    const [one, other] = await Promise.all([start({ store }), start({ store })]);
    for (let count = 0; count < 30; count += 1) {
      await one.send(`GET /things/one-${count}`);
      await other.send(`GET /things/other-${count}`);
    }
    await until("one shows what the other did", async () => {
      const { count } = await one.ok<{ count: number }>("/_debug/performance?window=1h");
      const { requests } = await one.ok<Lists>("/_debug/requests");
      return count === 60 && requests.length === 60;
    });
    await Promise.all([one.close(), other.close()]);
  });

  it("stays within its size, and has the newest", async () => {
    const store = join(directory, "small.db");
    const app = await start({ store: { path: store, maxBytes: 1024 * 1024 } });
    for (let count = 0; count < 3_000; count += 1) {
      await app.send(`GET /things/${count}`);
      if (count % 100 === 99) await app.ok("/_debug/server").then(() => app.ok("/_debug/errors"));
    }
    const { logs } = await app.ok<Lists>("/_debug/logs?limit=1&level=info");
    assert.equal(logs[0]?.message, "Thing read");
    await app.close();
    const { size } = await stat(store);
    assert.ok(size > 256 * 1024 && size < 1.5 * 1024 * 1024, String(size));
  });

  it("counts the requests that came too fast to be written", async () => {
    const app = await start({ store: join(directory, "fast.db") });
    for (let count = 0; count < 1_000; count += 1) await app.send(`GET /things/${count}`);
    const { requests } = await app.ok<Lists>("/_debug/requests?limit=2000");
    const { missed } = await app.ok<{ missed: { requests: number } }>("/_debug/health");
    assert.equal(requests.length + missed.requests, 1_000);
    assert.equal((await app.ok("/_debug/performance"))["count"], 1_000);
    await app.close();
  });

  for (const [what, make] of [
    ["is a directory", (path: string) => mkdir(path)],
    ["is no database", (path: string) => writeFile(path, "not a database, but some text".repeat(1_000))],
  ] as const) {
    it(`that ${what} is warned of, and memory serves`, async () => {
      const path = join(directory, what.replaceAll(" ", "-"));
      await make(path);
      const app = await start({ store: path });
      assert.ok(
        app.log.some(({ level, message }) => level === "warn" && message.includes(`history in ${path}`)),
      );
      assert.equal((await app.send("GET /things/7")).status, 200);
      assert.equal((await listsOf(app)).requests.length, 1);
      await app.close();
    });
  }

  it("shows the work of all workers, also when the one with the sidecar is gone", async () => {
    const port = await freePort();
    const child = spawn(process.execPath, [join(import.meta.dirname, "support/workers.ts")], {
      env: { ...process.env, DEBUG_PORT: String(port), STORE: join(directory, "workers.db") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const address = await listening(child);
      const seen = new Set<number>();
      let sent = 0;
      // A new connection each: the kernel spreads them.
      await until("both workers have answered", async () => {
        const { body } = await ask(address, "/pid");
        sent += 1;
        seen.add(Number(body["pid"]));
        return seen.size === 2;
      });
      const told = (): Promise<Record<string, unknown>> =>
        ask(port, "/_debug/performance?window=1h").then(
          ({ body }) => body,
          () => ({}),
        );
      await until("the sidecar shows all", async () => (await told())["count"] === sent);
      const health = (await ask(port, "/_debug/health")).body["process"] as { pid: number };
      process.kill(health.pid, "SIGKILL");
      await until("another worker has the sidecar", async () => (await told())["count"] === sent);
    } finally {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function listening(child: ChildProcess): Promise<number> {
  let text = "";
  child.stdout!.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await until("it listens", () => /Listening on \d+/.test(text) || child.exitCode !== null);
  const port = /Listening on (\d+)/.exec(text)?.[1];
  assert.ok(port, text);
  return Number(port);
}
