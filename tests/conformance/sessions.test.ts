// Sessions on the Rust server: the same tests as for the sessions of `@kit/auth`, which run on the servers of Node in
// `packages/auth/test`. `tests/e2e/servers/shop.test.ts` tests that both servers share the sessions of one table.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { codeOf, type Running } from "../../packages/auth/test/support/application.ts";
import { Browser, keys } from "../../packages/auth/test/support/session-application.ts";
import { type SessionSettings, testSessions } from "../../packages/auth/test/support/session-tests.ts";
import { isRust, startRust } from "./rust.ts";

async function begin({ idleMs, absoluteMs, keys: given }: SessionSettings = {}): Promise<Browser> {
  const served = await startRust("rust-server", { bodyBytes: 1024 }, "production", {
    KIT_COOKIE_KEYS: (given ?? keys.keys).join(),
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
  testSessions("Rust", begin);

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
