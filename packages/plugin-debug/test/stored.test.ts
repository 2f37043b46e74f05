// Tests the history in a file: it survives restarts, has a maximum size, is shared by processes, and never
// disturbs the application.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { json, start, until, type WithSidecar } from "./support/sidecar.ts";

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

describe("a history file", () => {
  it("still contains the requests after a restart", async () => {
    const store = join(directory, "new/history.db");
    const first = await start({ mode: "dev", store });
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

    const second = await start({ mode: "dev", store });
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

  it("can be read only by its owner and contains no credentials", async () => {
    const store = join(directory, "open.db");
    await writeFile(store, "", { mode: 0o644 });
    const app = await start({ mode: "dev", store, redactFields: ["name"] });
    const { headers, ...sent } = json({
      name: "hidden-name",
      password: "hidden-password",
      pin: "hidden-pin",
    });
    await app.send("POST /things?token=hidden-query", {
      ...sent,
      headers: { ...headers, cookie: "session=hidden-cookie" },
    });
    await app.ok("/_debug/requests");
    await app.close();
    assert.equal((await stat(store)).mode & 0o777, 0o600);
    for (const name of (await readdir(directory)).filter((entry) => entry.startsWith("open.db"))) {
      const bytes = await readFile(join(directory, name), "latin1");
      assert.match(bytes, /\/things/);
      assert.doesNotMatch(bytes, /hidden-/, name);
    }
  });

  it("contains no values of errors and log entries that the sidecar hides and the application's log shows", async () => {
    const store = join(directory, "records.db");
    const app = await start(
      { mode: "dev", store, redactFields: ["name", "apiSecret"] },
      { logging: { redactDefaults: false } },
    );
    await app.send("GET /things/7");
    await app.send("POST /things", json({ name: ["hidden-name"] }));
    const { errors, logs } = await listsOf(app);
    assert.match(JSON.stringify([errors, logs]), /VALIDATION_ERROR.*Thing read/);
    await app.close();
    assert.match(JSON.stringify(app.log), /hunter2.*s3cr3t/);
    for (const name of (await readdir(directory)).filter((entry) => entry.startsWith("records.db"))) {
      const bytes = await readFile(join(directory, name), "latin1");
      assert.match(bytes, /VALIDATION_ERROR[^]*Thing read|Thing read[^]*VALIDATION_ERROR/);
      assert.doesNotMatch(bytes, /hidden-|hunter2|s3cr3t/, name);
    }
  });

  it("is shared by all processes that write to it", async () => {
    const store = join(directory, "shared.db");
    const [one, other] = await Promise.all([start({ mode: "dev", store }), start({ mode: "dev", store })]);
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

  it("stays below its maximum size and contains the newest entries", async () => {
    const store = join(directory, "small.db");
    const app = await start({ mode: "dev", store: { path: store, maxBytes: 1024 * 1024 } });
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

  it("counts the requests that finished too fast to be written", async () => {
    const app = await start({ mode: "dev", store: join(directory, "fast.db") });
    for (let count = 0; count < 1_000; count += 1) await app.send(`GET /things/${count}`);
    const { requests } = await app.ok<Lists>("/_debug/requests?limit=2000");
    const { missed } = await app.ok<{ missed: { requests: number } }>("/_debug/health");
    assert.equal(requests.length + missed.requests, 1_000);
    assert.equal((await app.ok("/_debug/performance"))["count"], 1_000);
    await app.close();
  });

  for (const [what, make] of [
    ["is a directory", (path: string) => mkdir(path)],
    ["is not a database", (path: string) => writeFile(path, "not a database, but some text".repeat(1_000))],
  ] as const) {
    it(`is replaced by memory, with a warning, if the store ${what}`, async () => {
      const path = join(directory, what.replaceAll(" ", "-"));
      await make(path);
      const app = await start({ mode: "dev", store: path });
      assert.ok(
        app.log.some(({ level, message }) => level === "warn" && message.includes(`history in ${path}`)),
      );
      assert.equal((await app.send("GET /things/7")).status, 200);
      assert.equal((await listsOf(app)).requests.length, 1);
      await app.close();
    });
  }
});
