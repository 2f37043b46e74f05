// Tests the stores of sessions with a real PostgreSQL, and with a real Valkey or Redis if one is installed.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import { postgresSessions, type PostgresSessionStore, sessionTableSql, valkeySessions } from "@kit/auth";
import { createTestDatabase, type TestDatabase } from "@kit/dev-database";
import { Valkey } from "iovalkey";
import { Pool } from "pg";
import { createClient } from "redis";

import { Redis, withoutRedis } from "../../core/test/support/redis.ts";
import { codeOf } from "./support/application.ts";
import { application } from "./support/session-application.ts";
import { testStore } from "./support/store-tests.ts";

describe("PostgreSQL", () => {
  let store: PostgresSessionStore;
  let pool: Pool;
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url, max: 5, connectionTimeoutMillis: 2000 });
    await pool.query(sessionTableSql());
    store = postgresSessions(pool);
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  testStore("PostgreSQL", () => store);

  it("removes sessions that have ended", async () => {
    await pool.query("DELETE FROM kit_sessions");
    const now = Date.now();
    const add = (id: string, seenAt: number, expiresAt: number): Promise<void> =>
      store.create(
        {
          id,
          subject: "s",
          data: "{}",
          createdAt: new Date(seenAt),
          seenAt: new Date(seenAt),
          expiresAt: new Date(expiresAt),
        },
        1000,
      );
    await add("idle", now - 2000, now + 60_000);
    await add("absolute", now - 100, now - 50);
    await add("valid", now, now + 60_000);
    assert.equal(await store.deleteEnded(), 2);
    assert.equal(await store.deleteEnded(), 0);
    assert.notEqual(await store.read("valid"), null);
  });

  it("refuses names of tables that need quotes", () => {
    for (const table of ["a b", "A", "a;b", "a.b.c", ""]) {
      assert.throws(() => postgresSessions(pool, { table }), /lower-case letters/);
      assert.throws(() => sessionTableSql(table), /lower-case letters/);
    }
  });

  it("responds with 503 and Retry-After while the database does not answer, and does not log users out", async () => {
    const broken = new Pool({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: 500 });
    await using works = await application({ store });
    await works.text("POST /login/ada");
    await using fails = await application({ store: postgresSessions(broken) });
    const response = await fails.other(works.cookie).send("GET /me");
    assert.equal(response.status, 503);
    assert.equal(response.headers.get("retry-after"), "1");
    assert.deepEqual(response.headers.getSetCookie(), []);
    assert.equal(await fails.text("GET /me"), "nobody");
    await broken.end();
  });
});

describe("Valkey", { skip: withoutRedis }, () => {
  let redis: Redis;
  let port: number;
  let client: Valkey;
  before(async () => {
    redis = await Redis.start();
    ({ port } = redis);
    client = new Valkey({ port, host: "127.0.0.1", maxRetriesPerRequest: 20 });
    client.on("error", () => undefined);
    await client.ping();
  });
  after(async () => {
    client.disconnect();
    await redis.stop();
  });

  testStore("Valkey by iovalkey", () => valkeySessions(client));

  describe("with node-redis", () => {
    let connected: ReturnType<typeof createClient>;
    before(async () => {
      connected = createClient({ socket: { host: "127.0.0.1", port } });
      await connected.connect();
    });
    after(() => connected.destroy());
    testStore("Valkey by node-redis", () => valkeySessions(connected));
  });

  it("stores no keys after all sessions have ended", async () => {
    await client.flushall();
    const store = valkeySessions(client);
    const now = Date.now();
    for (let index = 0; index < 3; index += 1) {
      const seenAt = new Date(now);
      // oxlint-disable-next-line no-await-in-loop
      await store.create(
        {
          id: `id${index}`,
          subject: "ada",
          data: "{}",
          createdAt: seenAt,
          seenAt,
          expiresAt: new Date(now + 300),
        },
        200,
      );
    }
    assert.equal(await client.dbsize(), 4);
    await wait(450);
    assert.equal(await client.dbsize(), 0);
  });

  it("keeps the end of the list of a user's ids if the only session gets another id", async () => {
    await client.flushall();
    const store = valkeySessions(client);
    const seenAt = new Date();
    const expiresAt = new Date(seenAt.getTime() + 60_000);
    await store.create({ id: "one", subject: "ada", data: "{}", createdAt: seenAt, seenAt, expiresAt }, 1000);
    assert.equal(await store.rename("one", "two", seenAt, 1000), true);
    const rest = await client.pttl("{kit:sessions}:of:ada");
    assert.ok(rest > 50_000 && rest <= 60_000, String(rest));
  });

  it("responds with 503 and Retry-After while the store does not answer", async () => {
    const broken = new Valkey({ port: 1, host: "127.0.0.1", maxRetriesPerRequest: 0, lazyConnect: true });
    broken.on("error", () => undefined);
    await using works = await application({ store: valkeySessions(client) });
    await works.text("POST /login/ada");
    await using fails = await application({ store: valkeySessions(broken) });
    const read = await fails.other(works.cookie).send("GET /me");
    assert.equal(read.status, 503);
    assert.equal(read.headers.get("retry-after"), "1");
    assert.equal(await codeOf(read), "SERVICE_UNAVAILABLE");
    const login = await fails.send("POST /login/ada");
    assert.equal(login.status, 503);
    assert.deepEqual(login.headers.getSetCookie(), []);
    broken.disconnect();
  });
});
