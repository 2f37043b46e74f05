// Tests the endpoints that only the dashboard uses: feed, latencies over time, source code and migrations.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import type { DebugOptions } from "@kit/plugin-debug";
import type { JobsReport } from "@kit/types";

import type { DashboardInfo, Feed, PendingMigration, Series, SourceLines } from "../src/responses/shapes.ts";
import { startReal } from "./support/real-app.ts";
import { errorOf, json, start, until, type WithSidecar } from "./support/sidecar.ts";

const originalDirectory = process.cwd();
let root: string;

/** Creates a project in a temporary directory. The applications of these tests use it as their project's root. */
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "kit-dashboard-")));
  await mkdir(join(root, "src"));
  await mkdir(join(root, ".kit/migrations"), { recursive: true });
  await mkdir(join(root, "node_modules/a"), { recursive: true });
  const lines = Array.from({ length: 40 }, (_, index) => `const line${index + 1} = ${index + 1};`);
  await writeFile(join(root, "src/app.ts"), `${lines.join("\n")}\n`);
  await writeFile(join(root, "node_modules/a/index.js"), "secret");
  await writeFile(join(root, ".env"), "SECRET=1");
  await writeFile(join(root, "package.json"), '{"name":"shop","secret":1}');
  await writeFile(join(root, ".kit/middleware.json"), "[]");
  await writeFile(join(root, ".secret.ts"), "secret");
  await symlink("/etc/hostname", join(root, "src/outside.ts"));
  await symlink(join(root, ".env"), join(root, "src/env.ts"));
  process.chdir(root);
});
after(async () => {
  process.chdir(originalDirectory);
  await rm(root, { recursive: true, force: true });
});

describe("the feed of requests", () => {
  let app: WithSidecar;
  before(async () => {
    app = await start({ mode: "dev", keep: 50 });
  });
  after(() => app.close());
  const feedWith = (query: string): Promise<Feed> => app.ok<Feed>(`/_debug/feed${query}`);

  it("returns each finished request once", async () => {
    await app.send("GET /things/1");
    await app.send("POST /things", json({ name: 7 }));
    const first = await feedWith("");
    assert.deepEqual(
      first.requests.map(({ method, target, status, code, route }) => [method, target, status, code, route]),
      [
        ["POST", "/things", 400, "VALIDATION_ERROR", "POST /things"],
        ["GET", "/things/1", 200, null, "GET /things/:id"],
      ],
    );
    assert.deepEqual((await feedWith(`?after=${first.next}`)).requests, []);
    await app.send("GET /things/none");
    const { requests, skipped, next } = await feedWith(`?after=${first.next}`);
    assert.deepEqual([requests.length, requests[0]!.code, skipped], [1, "THING_NOT_FOUND", 0]);
    assert.equal(requests[0]!.message, "There is no such thing");
    assert.deepEqual((await feedWith(`?after=${next}`)).requests, []);
  });

  it("returns the number of requests that were overwritten between two polls", async () => {
    const { next } = await feedWith("");
    for (let count = 0; count < 60; count += 1) await app.send(`GET /things/${count}`);
    const limited = await feedWith(`?after=${next}&limit=10`);
    assert.deepEqual([limited.requests.length, limited.skipped], [10, 50]);
    assert.equal(limited.requests[0]!.target, "/things/59");
    // The history stores only fifty requests.
    const all = await feedWith(`?after=${next}`);
    assert.deepEqual([all.requests.length, all.skipped], [50, 10]);
  });

  it("returns the last requests if the cursor is invalid or comes from another process", async () => {
    const { instance } = await feedWith("");
    assert.match(instance, /^[0-9a-f]{16}$/);
    for (const cursor of ["0123456789abcdef.3", "nonsense", `${instance}.-1`, `${instance}.x`, "."])
      assert.ok((await feedWith(`?after=${cursor}&limit=5`)).requests.length === 5, cursor);
    assert.deepEqual((await feedWith(`?after=${instance}.999999999`)).requests, []);
  });

  it("lists a request first as in progress and then as finished", async () => {
    const real = await startReal();
    const { next } = await real.ok<Feed>("/_debug/feed");
    const answered = real.post({ name: "held" });
    let feed: Feed | undefined;
    await until("it is under way", async () => {
      feed = await real.ok<Feed>(`/_debug/feed?after=${next}`);
      return feed.active.length === 1;
    });
    const [active] = feed!.active;
    assert.deepEqual([active!.status, active!.isActive, active!.phase], [0, true, "handler"]);
    assert.deepEqual(feed!.requests, []);
    assert.equal(await answered, active!.requestId);
    const { requests, active: left } = await real.ok<Feed>(`/_debug/feed?after=${feed!.next}`);
    assert.deepEqual([requests[0]!.requestId, requests[0]!.status, left], [active!.requestId, 201, []]);
    await real.close();
  });

  it("hides sensitive values in production", async () => {
    const production = await start({ mode: "production", apiKey: "k" });
    await production.send("GET /things/1?token=secret-token");
    const answer = await production.get("/_debug/feed", { "x-debug-key": "k" });
    assert.equal((answer.body as unknown as Feed).requests[0]!.target, "/things/1?token=[redacted]");
    assert.doesNotMatch(answer.text, /secret/);
    assert.equal((await production.get("/_debug/feed")).status, 401);
    await production.close();
  });

  it("contains the requests of all processes if the history is a file", async () => {
    const stored = await start({ mode: "dev", store: "debug.db" });
    await stored.send("GET /things/1");
    const { next, requests } = await stored.ok<Feed>("/_debug/feed");
    assert.equal(requests.length, 1);
    // If several processes write, a cursor has no effect: the last requests are returned again, and the page recognizes
    // them by their ids.
    assert.deepEqual((await stored.ok<Feed>(`/_debug/feed?after=${next}`)).requests, requests);
    const again = await start({ mode: "dev", store: "debug.db" });
    assert.equal((await again.ok<Feed>("/_debug/feed")).requests[0]!.requestId, requests[0]!.requestId);
    await again.close();
    await stored.close();
  });
});

describe("latencies over time", () => {
  for (const [kind, options] of [
    ["in memory", {}],
    ["in a store", { store: "series.db" }],
  ] as const) {
    it(`add up to the figures of the whole time window, ${kind}`, async () => {
      const app = await start(options);
      for (let count = 0; count < 30; count += 1)
        await app.send(`GET /things/${count % 3 === 0 ? "broken" : "1"}`);
      await app.send("POST /things", json({ name: "a" }));
      const all = await app.ok<Series>("/_debug/performance/series?window=5m");
      assert.equal(all.sliceMs, 10_000);
      assert.deepEqual([sum(all, "count"), sum(all, "failed")], [31, 10]);
      const one = await app.ok<Series>("/_debug/performance/series?window=1h&route=GET%20/things/:id");
      assert.deepEqual([one.sliceMs, sum(one, "count"), one.route], [60_000, 30, "GET /things/:id"]);
      const whole = await app.ok<{ max: number }>("/_debug/performance?window=1h&route=GET%20/things/:id");
      assert.equal(Math.max(...one.slices.map(({ max }) => max!)), whole.max);
      for (const { start: begin, p50, p95, p99, throughput } of one.slices) {
        assert.ok(begin >= Date.parse(one.since) && begin % 60_000 === 0);
        assert.ok(p50! <= p95! && p95! <= p99! && throughput > 0);
      }
      await app.close();
    });
  }

  it("are refused with 400 for an invalid query", async () => {
    const app = await start();
    for (const [query, status] of [
      ["window=25h", 400],
      ["window=x", 400],
      ["route=/nowhere", 404],
      ["limit=1", 400],
    ] as const)
      assert.equal((await app.get(`/_debug/performance/series?${query}`)).status, status, query);
    assert.deepEqual((await app.ok<Series>("/_debug/performance/series")).slices, []);
    await app.close();
  });
});

describe("source code", () => {
  let app: WithSidecar;
  before(async () => {
    app = await start();
  });
  after(() => app.close());

  it("is shown around a line", async () => {
    const source = await app.ok<SourceLines>("/_debug/source?file=src/app.ts&line=20&around=2");
    assert.deepEqual(source, {
      file: "src/app.ts",
      from: 18,
      lines: [18, 19, 20, 21, 22].map((line) => `const line${line} = ${line};`),
      count: 40,
    });
    const first = await app.ok<SourceLines>("/_debug/source?file=./src/../src/app.ts&around=1");
    assert.deepEqual([first.file, first.from, first.lines.length], ["src/app.ts", 1, 2]);
    // An older build may refer to a line that no longer exists.
    const last = await app.ok<SourceLines>("/_debug/source?file=src/app.ts&line=999&around=1");
    assert.deepEqual([last.from, last.lines], [39, ["const line39 = 39;", "const line40 = 40;"]]);
  });

  for (const file of [
    ".env",
    "src/env.ts",
    "src/outside.ts",
    "/etc/passwd",
    "/etc/hostname",
    "../../etc/passwd",
    "..%2F..%2Fetc/passwd",
    "src/../../../etc/hostname",
    "package.json",
    ".secret.ts",
    "node_modules/a/index.js",
    "src",
    ".",
    "src/missing.ts",
    "file:///etc/hostname",
    "src/app.ts/x",
  ]) {
    it(`is not shown for ${file}`, async () => {
      const answer = await app.get(`/_debug/source?file=${file}`);
      assert.equal(answer.status, 404, answer.text);
      assert.match(errorOf(answer).message, /there is no source file/);
    });
  }

  it("is not shown in production or without a valid file name", async () => {
    assert.equal((await app.get("/_debug/source?file=src/app.ts%00.ts")).status, 400);
    assert.equal((await app.get("/_debug/source?file=src/app.ts&around=201")).status, 400);
    const production = await start({ mode: "production", apiKey: "k" });
    const answer = await production.get("/_debug/source?file=src/app.ts", { "x-debug-key": "k" });
    assert.deepEqual([answer.status, errorOf(answer).code], [403, "DEVELOPMENT_ONLY"]);
    await production.close();
  });
});

describe("migrations", () => {
  let app: WithSidecar;
  before(async () => {
    app = await start();
  });
  after(() => app.close());
  const pendingMigration = (): Promise<PendingMigration> => app.ok<PendingMigration>("/_debug/migrations");

  it("are empty without tables, or if the types agree with the committed migrations", async () => {
    const nothing = { destructive: false, changes: [], problems: [], sql: null };
    assert.deepEqual(await pendingMigration(), { hasTables: false, ...nothing });
    await writeFile(join(root, ".kit/migrations/snapshot.json"), '{"tables":[{"name":"notes"}]}');
    assert.deepEqual(await pendingMigration(), { hasTables: true, ...nothing });
  });

  it("are the changes that kit build wrote to .kit/migrations", async () => {
    const changes = [{ change: "dropColumn", table: "notes", column: "title", class: "destructive" }];
    const pending = { version: 1, destructive: true, changes, problems: [] };
    await writeFile(join(root, ".kit/migrations/pending.json"), JSON.stringify(pending));
    await writeFile(join(root, ".kit/migrations/pending.sql"), "ALTER TABLE …");
    assert.deepEqual(await pendingMigration(), {
      hasTables: true,
      destructive: true,
      changes,
      problems: [],
      sql: "ALTER TABLE …",
    });
  });
});

/** Starts an application with a plugin that has jobs. */
function withJobs(read: () => Promise<JobsReport>, options?: DebugOptions): Promise<WithSidecar> {
  return start(options, {}, [{ name: "jobs", jobs: { report: read } }]);
}

describe("jobs", () => {
  const report: JobsReport = {
    queues: [{ name: "mail", waiting: 2, later: 0, active: 1, completed: 5, failed: 1, oldestSeconds: 3.5 }],
    failures: [
      {
        id: "1",
        name: "mail",
        attempts: 6,
        at: "2026-03-01T12:00:00.000Z",
        message: "no answer of ada@example.com",
      },
    ],
    workers: [{ host: "one", pid: 7, startedAt: "2026-03-01T11:00:00.000Z", active: 1 }],
    schedules: [{ name: "mail", key: "", cron: "0 3 * * *", timeZone: "UTC" }],
  };
  it("are the report of the plugin that has jobs, which is read at most once a second", async () => {
    let count = 0;
    const app = await withJobs(async () => {
      count += 1;
      return report;
    });
    const [one, other] = await Promise.all([app.ok("/_debug/jobs"), app.ok("/_debug/jobs")]);
    assert.deepEqual(one, { hasJobs: true, ...report });
    assert.deepEqual(other, one);
    assert.equal(count, 1);
    await app.close();
  });

  it("have no messages of failures in production, because messages may contain data", async () => {
    const app = await withJobs(async () => report, { mode: "production", apiKey: "k" });
    const { text } = await app.get("/_debug/jobs", { "x-debug-key": "k" });
    assert.equal(JSON.parse(text).failures[0].message, null);
    assert.doesNotMatch(text, /ada@example/);
    await app.close();
  });

  it("are 503 while the database does not answer, and empty without a plugin that has jobs", async () => {
    const app = await withJobs(() => Promise.reject(new Error("connection refused to 10.0.0.7")));
    const answer = await app.get("/_debug/jobs");
    assert.deepEqual([answer.status, errorOf(answer).code], [503, "JOBS_UNAVAILABLE"]);
    assert.doesNotMatch(answer.text, /10\.0\.0\.7/);
    await app.close();
    const without = await start();
    assert.deepEqual(await without.ok("/_debug/jobs"), { hasJobs: false });
    await without.close();
  });
});

it("the endpoint dashboard returns the information that the page requests first", async () => {
  const app = await start();
  const { instance, replayToken, ...info } = await app.ok<DashboardInfo>("/_debug/dashboard");
  assert.deepEqual(info, {
    mode: "development",
    application: { name: "shop", url: "http://localhost:40000", adapter: "memory" },
    projectRoot: root,
    pollMs: 1_000,
    absent: {},
  });
  assert.match(replayToken!, /^[\w-]{43}$/);
  assert.equal((await app.ok<Feed>("/_debug/feed")).instance, instance);
  await app.close();
  const slow = await start({ mode: "production", apiKey: "k", rateLimit: { max: 20, windowMs: 60_000 } });
  const { pollMs } = (await slow.get("/_debug/dashboard", { "x-debug-key": "k" })).body;
  assert.equal(pollMs, 9_000);
  await slow.close();
});

function sum(of: Series, name: "count" | "failed"): number {
  return of.slices.reduce((total, slice) => total + slice[name], 0);
}
