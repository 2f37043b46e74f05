// Tests `cancellable` in `@kit/core/pg`: the queries of a request are cancelled when its client disconnects.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { cancellable } from "@kit/core/pg";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { Kysely, PostgresDialect, sql as kyselySql } from "kysely";
import { Pool } from "pg";

import { Cluster, until } from "./support/cluster.ts";

const gone = new Error("Nobody waits any more");

/** Returns the SQLSTATE of an error, also if a query builder has wrapped the error. */
function stateOf(error: unknown): unknown {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code ?? (cause === undefined ? undefined : stateOf(cause));
}

/** Codes in the first message of a connection, as in PostgreSQL's protocol. */
const sslRequest = 80_877_103;
const cancelRequest = 80_877_102;
const protocolVersion = 196_608;

interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Code of the first message of each connection, in the order of the connections. */
  readonly codes: readonly number[];
}

/** Starts a server that forwards each connection to a port of this machine. */
async function startRelay(port: number): Promise<Relay> {
  const codes: number[] = [];
  const server = createServer((socket) => {
    const target = connect(port, "127.0.0.1");
    // The code comes after the length of the message, which has four bytes.
    socket.once("data", (chunk) => codes.push(chunk.readInt32BE(4)));
    socket.on("error", () => target.destroy()).pipe(target);
    target.on("error", () => socket.destroy()).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  return {
    port: own,
    codes,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

for (const tls of [false, true]) {
  describe(`a pool of cancellable() ${tls ? "with" : "without"} TLS`, { timeout: 60_000 }, () => {
    let cluster: Cluster;
    let pool: Pool;
    let controller: AbortController;

    before(async () => {
      cluster = await Cluster.start({ tls });
      await cluster.query("create table kept (id int)");
    });
    after(() => cluster?.remove());
    beforeEach(() => {
      pool = new Pool({ connectionString: cluster.url, ssl: cluster.ssl, max: 2 });
      controller = new AbortController();
    });
    afterEach(() => pool.end());

    const abort = async (): Promise<void> => {
      await until(async () => (await cluster.running("pg_sleep(30)")) === 1, "the query to run");
      controller.abort(gone);
    };
    const isIdle = async (): Promise<void> => {
      await until(async () => (await cluster.running("pg_sleep(30)")) === 0, "the query to end");
    };

    it("uses TLS if and only if PostgreSQL requires it", async () => {
      const { rows } = await cancellable(pool, controller.signal).query(
        "select ssl from pg_stat_ssl where pid = pg_backend_pid()",
      );
      assert.deepEqual(rows, [{ ssl: tls }]);
      const plain = new Pool({ connectionString: cluster.url });
      const connected = plain.query("select 1");
      if (tls) await assert.rejects(connected, { code: "28000" });
      else await connected;
      await plain.end();
    });

    it("sends the cancel request with TLS if and only if the pool uses TLS", async () => {
      await using relay = await startRelay(Number(new URL(cluster.url).port));
      const connectionString = cluster.url.replace(/:\d+\//, `:${relay.port}/`);
      const relayed = new Pool({ connectionString, ssl: cluster.ssl, max: 1 });
      const outcome = assert.rejects(
        cancellable(relayed, controller.signal).query("select pg_sleep(30)"),
        (error) => stateOf(error) === "57014",
      );
      await abort();
      await outcome;
      assert.deepEqual(relay.codes, tls ? [sslRequest, sslRequest] : [protocolVersion, cancelRequest]);
      await relayed.end();
    });

    it("runs queries like a pool without `cancellable`", async () => {
      const tied = cancellable(pool, controller.signal);
      assert.ok(tied instanceof Pool);
      assert.deepEqual((await tied.query("select $1::int as n", [7])).rows, [{ n: 7 }]);
      const answer = await new Promise((resolve, reject) =>
        tied.query("select 8 as n", (error, result) => (error ? reject(error) : resolve(result.rows))),
      );
      assert.deepEqual(answer, [{ n: 8 }]);
      await assert.rejects(tied.query("select 1 / 0"), { code: "22012" });
    });

    it("removes its listener from the signal and restores a connection before the release", async () => {
      const single = new Pool({ connectionString: cluster.url, ssl: cluster.ssl, max: 1 });
      const client = await cancellable(single, controller.signal).connect();
      client.release();
      assert.equal(Object.hasOwn(client, "query"), false);
      controller.abort(gone);
      assert.deepEqual((await single.query("select 1 as n")).rows, [{ n: 1 }]);
      assert.equal(single.totalCount, 1);
      await single.end();
    });

    it("refuses to release a connection twice, as `pg` does, also after the signal has aborted", async () => {
      for (const isAborted of [false, true]) {
        const client = await cancellable(pool, controller.signal).connect();
        if (isAborted) controller.abort(gone);
        const { release } = client;
        release();
        assert.throws(() => release(), /already been released/);
      }
      await until(() => pool.idleCount === 1, "the connection to come back");
      assert.deepEqual((await pool.query("select 9 as n")).rows, [{ n: 9 }]);
    });

    for (const [name, run] of [
      ["pool.query", (tied: Pool) => tied.query("select pg_sleep(30)")],
      ["drizzle", (tied: Pool) => drizzle(tied).execute(drizzleSql`select pg_sleep(30)`)],
      [
        "Kysely",
        (tied: Pool) =>
          kyselySql`select pg_sleep(30)`.execute(
            new Kysely<object>({ dialect: new PostgresDialect({ pool: tied }) }),
          ),
      ],
    ] as const) {
      it(`cancels a running query of ${name} in PostgreSQL`, async () => {
        const outcome = assert.rejects(
          run(cancellable(pool, controller.signal)),
          (error) => stateOf(error) === "57014",
        );
        await abort();
        await outcome;
        await isIdle();
      });
    }

    for (const [name, run] of [
      [
        "drizzle",
        (tied: Pool) =>
          drizzle(tied).transaction(async (tx) => {
            await tx.execute(drizzleSql`insert into kept values (1)`);
            await tx.execute(drizzleSql`select pg_sleep(30)`);
          }),
      ],
      [
        "Kysely",
        (tied: Pool) =>
          new Kysely<object>({ dialect: new PostgresDialect({ pool: tied }) })
            .transaction()
            .execute(async (tx) => {
              await kyselySql`insert into kept values (1)`.execute(tx);
              await kyselySql`select pg_sleep(30)`.execute(tx);
            }),
      ],
    ] as const) {
      it(`rolls back a running transaction of ${name}`, async () => {
        const outcome = assert.rejects(
          run(cancellable(pool, controller.signal)),
          (error) => stateOf(error) === "57014",
        );
        await abort();
        await outcome;
        await isIdle();
        assert.deepEqual(await cluster.query("select id from kept"), []);
        assert.deepEqual((await pool.query("select 1 as n")).rows, [{ n: 1 }]);
      });
    }

    it("sends only ROLLBACK after the signal has aborted", async () => {
      const client = await cancellable(pool, controller.signal).connect();
      await client.query("begin");
      await client.query("insert into kept values (2)");
      controller.abort(gone);
      await assert.rejects(client.query("insert into kept values (3)"), gone);
      await assert.rejects(client.query({ text: "commit" }), gone);
      await assert.rejects(
        new Promise((resolve, reject) =>
          client.query("select 1", (error: Error | undefined) =>
            error ? reject(error) : resolve(undefined),
          ),
        ),
        gone,
      );
      await client.query("ROLLBACK");
      client.release();
      await until(() => pool.idleCount === 1, "the connection to come back");
      assert.deepEqual(await cluster.query("select id from kept"), []);
    });

    it("closes a connection that is released within a transaction", async () => {
      const client = await cancellable(pool, controller.signal).connect();
      await client.query("begin");
      await client.query("insert into kept values (4)");
      controller.abort(gone);
      client.release();
      await until(() => pool.totalCount === 0, "the connection to be closed");
      assert.deepEqual(await cluster.query("select id from kept"), []);
    });

    it("stops waiting for a connection when the signal aborts, and the next waiter gets the connection", async () => {
      const taken = await Promise.all([pool.connect(), pool.connect()]);
      const outcome = assert.rejects(cancellable(pool, controller.signal).query("select 1"), gone);
      await sleep(20);
      controller.abort(gone);
      await outcome;
      await assert.rejects(cancellable(pool, controller.signal).query("select 1"), gone);
      for (const client of taken) client.release();
      await until(() => pool.idleCount === 2, "both connections to come back");
      assert.deepEqual((await pool.query("select 5 as n")).rows, [{ n: 5 }]);
    });

    it("never cancels a query of the request that uses the connection next", async () => {
      const single = new Pool({ connectionString: cluster.url, ssl: cluster.ssl, max: 1 });
      for (let round = 0; round < 40; round += 1) {
        const each = new AbortController();
        const client = await cancellable(single, each.signal).connect();
        const ended = client.query("select pg_sleep(0.002)").catch(() => undefined);
        await sleep(round % 5);
        each.abort(gone);
        await ended;
        client.release();
        assert.deepEqual((await single.query("select pg_sleep(0.003), 6 as n")).rows[0].n, 6);
      }
      await single.end();
    });
  });
}
