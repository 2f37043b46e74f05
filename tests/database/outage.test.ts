// Tests the notes API on Node and in Rust while PostgreSQL stops and starts again.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";

import { Cluster, until } from "./support/cluster.ts";
import { migrate, missing, NotesServer, type Runtime, type Timed } from "./support/notes-server.ts";
import { measureOutage } from "./support/measure.ts";

/** Time in milliseconds: longer than the Rust server waits for a connection, and shorter than the request timeout. */
const longestMs = 4_000;

function assertUnavailable({ status, text, headers, ms }: Timed): void {
  assert.equal(status, 503, text);
  assert.equal(headers.get("retry-after"), "1");
  const { code, message } = (JSON.parse(text) as { error: { code: string; message: string } }).error;
  assert.deepEqual({ code, message }, { code: "SERVICE_UNAVAILABLE", message: "Service Unavailable" });
  assert.doesNotMatch(text, /127\.0\.0\.1|postgres|ECONN/);
  assert.ok(ms < longestMs, `it took ${ms} ms`);
}

for (const runtime of ["node", "rust"] as const satisfies readonly Runtime[]) {
  describe(`the notes API on ${runtime}`, { timeout: 120_000, skip: missing(runtime) ?? false }, () => {
    let cluster: Cluster;
    let server: NotesServer;
    before(async () => {
      cluster = await Cluster.start();
      await migrate(cluster);
    });
    after(() => cluster?.remove());
    afterEach(() => server?.stop());

    for (const signal of ["SIGINT", "SIGQUIT"] as const) {
      it(`responds with 503 while PostgreSQL is down (${signal}), and works again as soon as PostgreSQL runs`, async () => {
        server = await NotesServer.start(runtime, cluster.url);
        assert.equal((await server.get("/notes")).status, 200);
        await cluster.stop(signal);
        for (const answer of await Promise.all(Array.from({ length: 12 }, () => server.get("/notes")))) {
          assertUnavailable(answer);
        }
        if (runtime === "rust") {
          const ready = await server.get("/readyz");
          assert.equal(ready.status, 503);
          assert.ok(ready.ms < 1_500, `readiness took ${ready.ms} ms`);
        }
        await cluster.run();
        await until(async () => (await server.get("/notes")).status === 200, "the server to recover");
        assert.ok(server.isRunning());
        if (runtime === "rust") assert.equal((await server.get("/readyz")).status, 200);
      });
    }

    it("responds with 503 if PostgreSQL crashes during the query of a request", async () => {
      server = await NotesServer.start(runtime, cluster.url);
      const lock = cluster.query("begin; lock table notes; select pg_sleep(60)").catch(() => {});
      await until(async () => (await cluster.running("pg_sleep(60)")) === 1, "the table to be locked");
      const answer = server.get("/notes/00000000-0000-4000-8000-000000000000");
      await until(async () => (await cluster.running("author_id")) === 1, "the query to wait");
      await cluster.stop("SIGQUIT");
      assertUnavailable(await answer);
      await lock;
      await cluster.run();
    });

    it("cancels the query of a request that has timed out or whose client has disconnected", async () => {
      // No statement timeout, so that only the end of the request can cancel the query.
      server = await NotesServer.start(runtime, cluster.url, {
        REQUEST_TIMEOUT_MS: "500",
        DATABASE_STATEMENT_TIMEOUT_MS: "0",
      });
      const lock = cluster.query("begin; lock table notes; select pg_sleep(6)");
      await until(async () => (await cluster.running("pg_sleep(6)")) === 1, "the table to be locked");
      const path = "/notes/00000000-0000-4000-8000-000000000000";
      const gone = async (): Promise<void> =>
        until(async () => (await cluster.running("author_id")) === 0, "the query to end");
      const begin = performance.now();
      const timedOut = server.get(path);
      await until(async () => (await cluster.running("author_id")) === 1, "the query to wait");
      const { status, text } = await timedOut;
      assert.equal(status, 503);
      assert.match(text, /REQUEST_TIMEOUT/);
      await gone();
      const left = new AbortController();
      // This client disconnects before the timeout.
      const answer = assert.rejects(server.get(path, left.signal));
      await until(async () => (await cluster.running("author_id")) === 1, "the query to wait");
      left.abort();
      await answer;
      await gone();
      assert.ok(performance.now() - begin < 5_000, "the lock would have ended them");
      await lock;
      assert.equal((await server.get("/notes")).status, 200);
    });

    it("responds quickly before, during and after a short outage under load", async () => {
      server = await NotesServer.start(runtime, cluster.url);
      const [prior, during, later] = await measureOutage(cluster, server, 3);
      assert.deepEqual([Object.keys(prior!.statuses), Object.keys(later!.statuses)], [["200"], ["200"]]);
      assert.ok(during!.statuses["503"]! > 0);
      // A request that arrived just before the outage may still succeed.
      assert.deepEqual(
        Object.keys(during!.statuses).filter((status) => status !== "200"),
        ["503"],
      );
      assert.ok(during!.p99 < longestMs, `p99 was ${during!.p99} ms`);
    });
  });
}
