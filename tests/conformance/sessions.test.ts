// Sessions on the Rust server: the same tests as for the sessions of `@kit/auth`, which run on the servers of Node in
// `packages/auth/test`. `tests/e2e/servers/shop.test.ts` tests that both servers share the sessions of one table.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { valkeySessions } from "@kit/auth";
import { Redis as Valkey } from "iovalkey";

import { codeOf, type Running } from "../../packages/auth/test/support/application.ts";
import { application, Browser, keys } from "../../packages/auth/test/support/session-application.ts";
import { type SessionSettings, testSessions } from "../../packages/auth/test/support/session-tests.ts";
import { Redis, withoutRedis } from "../../packages/core/test/support/redis.ts";
import { until } from "../database/support/cluster.ts";
import { isRust, startRust } from "./rust.ts";

async function begin(
  { idleMs, absoluteMs, keys: given }: SessionSettings = {},
  store?: string,
): Promise<Browser> {
  const served = await startRust("rust-server", { bodyBytes: 1024 }, "production", {
    KIT_COOKIE_KEYS: (given ?? keys.keys).join(),
    ...(store !== undefined && { SESSION_STORE: store, LOG_LEVEL: "fatal" }),
    ...(idleMs !== undefined && { SESSION_IDLE_MS: String(idleMs) }),
    ...(absoluteMs !== undefined && { SESSION_ABSOLUTE_MS: String(absoluteMs) }),
  });
  const app: Running = {
    log: [],
    send: (path, init) => fetch(`http://127.0.0.1:${served.port}${path}`, init),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
  return new Browser(app, "/sessions");
}

describe("the Rust server", { skip: !isRust && "set KIT_E2E_SERVER=rust to run it" }, () => {
  testSessions("Rust", (settings) => begin(settings));

  describe("with Valkey", { skip: withoutRedis }, () => {
    let redis: Redis;
    let client: Valkey;
    before(async () => {
      redis = await Redis.start();
      client = new Valkey({ port: redis.port, maxRetriesPerRequest: 20, commandTimeout: 2000 });
      client.on("error", () => undefined);
      await client.ping();
    });
    after(async () => {
      client?.disconnect();
      await redis?.stop();
    });
    const url = (): string => `valkey://127.0.0.1:${redis.port}`;

    testSessions("Rust and Valkey", (settings) => begin(settings, url()));

    test("Node and Rust share sessions, and a logout everywhere ends those of both", async () => {
      await using rust = await begin({}, url());
      await using node = await application({ store: valkeySessions(client), scopesOf: () => ["read"] });
      await rust.text("POST /login/ada");
      assert.equal(await node.other(rust.cookie).text("GET /me"), "ada name of ada read");
      await node.text("POST /login/ada");
      assert.equal(await rust.other(node.cookie).text("POST /rename"), "true");
      assert.equal(await node.text("GET /me"), "ada new name read");
      await rust.text("POST /everywhere/ada");
      assert.equal(await node.text("GET /me"), "nobody");
      assert.equal(await rust.text("GET /me"), "nobody");
    });

    test("the list of a user's sessions ends with them after a session has got a new token", async () => {
      await using browser = await begin({}, url());
      await browser.text("POST /login/eve");
      await browser.text("POST /rotate");
      const rest = await client.pttl("{kit:sessions}:of:eve");
      assert.ok(rest > 0 && rest <= 43_200_000, String(rest));
    });

    test("requests with a session get 503 with Retry-After while the store is down, and others pass", async () => {
      const own = await Redis.start();
      try {
        await using browser = await begin({}, `valkey://127.0.0.1:${own.port}`);
        await until(async () => (await browser.send("POST /login/ada")).ok, "the store");
        await own.kill();
        const refused = await browser.send("GET /me");
        assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
        assert.equal(await codeOf(refused), "SERVICE_UNAVAILABLE");
        assert.equal(await browser.other("").text("GET /me"), "nobody");
      } finally {
        await own.stop();
      }
    });
  });

  test("requests without a session or without its scopes get the errors of @kit/auth", async () => {
    await using browser = await begin();
    const missing = await browser.send("GET /private");
    assert.deepEqual([missing.status, missing.headers.get("www-authenticate")], [401, "Cookie"]);
    assert.equal(await codeOf(missing), "UNAUTHORIZED");
    await browser.text("POST /login/ada");
    const refused = await browser.send("GET /unread");
    assert.deepEqual([refused.status, await codeOf(refused)], [403, "INSUFFICIENT_SCOPE"]);
  });

  test("requests get 500 if the server has no keys for cookies", async () => {
    await using browser = await begin({ keys: [] });
    assert.equal((await browser.send("POST /login/ada")).status, 500);
    assert.equal((await browser.send("GET /me")).status, 500);
  });

  test("cookies remain valid while their key is replaced", async () => {
    const added = "a new key of at least 32 characters for tests";
    await using browser = await begin({ keys: [added, ...keys.keys] });
    await browser.text("POST /login/ada");
    const { cookie } = browser;
    assert.equal(await browser.other(cookie).text("GET /private"), "ada");
  });
});
