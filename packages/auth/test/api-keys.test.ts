import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { apiKeys, createApiKey, hashApiKey, type StoredApiKey } from "@kit/auth";

import { servers } from "../../../tests/conformance/servers.ts";
import { codeOf, type Running, start } from "./support/application.ts";

/** Keys that an application stores, by id. */
type Stored = Map<string, StoredApiKey>;

function application(stored: Stored, options: object = {}, asked: string[] = []): Promise<Running> {
  const find = (id: string): StoredApiKey | undefined => {
    asked.push(id);
    return stored.get(id);
  };
  const middleware = apiKeys<string>({ prefix: "shop", find, scopes: ["read"], ...options });
  return start({ "GET /me": describeCaller }, { middleware: [middleware] });
}

function describeCaller({ ctx }: { ctx: object }): { text: string } {
  const { auth } = ctx as { auth: { subject: string; scopes: readonly string[] } };
  return { text: `${auth.subject} ${auth.scopes.join()}` };
}

const withKey = (key: string): RequestInit => ({ headers: { "x-api-key": key } });

describe("createApiKey", () => {
  it("creates different keys with prefix, id and checksum, and their hashes", () => {
    const keys = Array.from({ length: 100 }, () => createApiKey("shop_test"));
    assert.equal(new Set(keys.map(({ id }) => id)).size, 100);
    for (const { key, id, hash } of keys) {
      assert.match(key, /^shop_test_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
      assert.ok(key.startsWith(`${id}_`));
      assert.equal(hash, hashApiKey(key));
      assert.ok(!hash.includes(key.slice(-10)));
    }
  });

  it("uses each character of the alphabet about equally often", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 2000; round += 1) {
      for (const character of createApiKey("a").key.slice(2, 14))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    assert.equal(counts.size, 62);
    // 24,000 characters, 387 of each expected: eight standard deviations are 157.
    for (const [character, count] of counts) assert.ok(Math.abs(count - 387) < 157, `${character}: ${count}`);
  });

  it("refuses a prefix from which a key could not be parsed", () => {
    for (const prefix of ["", "Shop", "1shop", "shop_", "a_b_c", "shop key", "a".repeat(21)]) {
      assert.throws(() => createApiKey(prefix), /the prefix must have/, prefix);
    }
  });
});

describe("apiKeys", () => {
  for (const [name, make] of servers) {
    it(`accepts stored keys and refuses others on the server ${name}`, async () => {
      const { key, id, hash } = createApiKey("shop");
      const stored: Stored = new Map([[id, { hash, subject: "ada", scopes: ["read", "admin"] }]]);
      const middleware = apiKeys({ prefix: "shop", find: (found) => stored.get(found), scopes: ["read"] });
      await using app = await start({ "GET /me": describeCaller }, { middleware: [middleware] }, make());
      assert.deepEqual(await (await app.send("/me", withKey(key))).json(), { text: "ada read" });
      const missing = await app.send("/me");
      assert.equal(missing.status, 401);
      assert.equal(missing.headers.get("www-authenticate"), "ApiKey");
      assert.equal(await codeOf(missing), "UNAUTHORIZED");
      const wrong = await app.send("/me", withKey(createApiKey("shop").key));
      assert.equal(wrong.status, 401);
      assert.equal(await codeOf(wrong), "INVALID_API_KEY");
    });
  }

  it("refuses keys whose id is right and whose secret is not", async () => {
    const { id, hash } = createApiKey("shop");
    const stored: Stored = new Map([[id, { hash, subject: "ada" }]]);
    // A key with the id of another key and a valid checksum.
    let other = createApiKey("shop");
    stored.set(other.id, { hash, subject: "eve" });
    await using app = await application(stored);
    assert.equal((await app.send("/me", withKey(other.key))).status, 401);
    other = createApiKey("shop");
    stored.set(other.id, { hash: other.hash.slice(1), subject: "eve" });
    assert.equal((await app.send("/me", withKey(other.key))).status, 401);
  });

  it("does not query the store for a key whose prefix, length or checksum is wrong", async () => {
    const asked: string[] = [];
    await using app = await application(new Map(), {}, asked);
    const { key } = createApiKey("shop");
    const last = key.at(-1) === "a" ? "b" : "a";
    for (const text of [
      "",
      "shop",
      key.slice(1),
      key.slice(0, -1),
      key.slice(0, -1) + last,
      `${key}a`,
      createApiKey("other").key,
    ])
      // oxlint-disable-next-line no-await-in-loop
      assert.equal((await app.send("/me", withKey(text))).status, 401, text);
    assert.deepEqual(asked, []);
    assert.equal((await app.send("/me", withKey(key))).status, 401);
    assert.equal(asked.length, 1);
  });

  it("refuses expired keys", async () => {
    const { key, id, hash } = createApiKey("shop");
    const stored: Stored = new Map();
    await using app = await application(stored);
    for (const [expiresAt, status] of [
      [null, 200],
      [new Date(Date.now() + 60_000), 200],
      [new Date(Date.now() - 1), 401],
      [new Date(Number.NaN), 401],
    ] as const) {
      stored.set(id, { hash, subject: "ada", expiresAt });
      // oxlint-disable-next-line no-await-in-loop
      assert.equal((await app.send("/me", withKey(key))).status, status, String(expiresAt));
    }
  });

  it("hides the key in the log", async () => {
    const { key } = createApiKey("shop");
    await using app = await application(new Map());
    await app.send("/me", withKey(key));
    assert.ok(!JSON.stringify(app.log).includes(key.slice(18)));
  });

  it("refuses options that are unknown or invalid when it is created", () => {
    const find = String as unknown;
    for (const [options, message] of [
      [{ find }, /the prefix must have/],
      [{ prefix: "shop" }, /`find` must be a function/],
      [{ prefix: "shop", find, headers: "x" }, /no option `headers`/],
      [{ prefix: "shop", find, header: "authorization" }, /a header name other than/],
      [{ prefix: "shop", find, header: "a b" }, /a header name other than/],
      [{ prefix: "shop", find, scopes: [""] }, /names of 1 to 200/],
    ] as const) {
      assert.throws(() => apiKeys(options as never), message);
    }
  });
});
