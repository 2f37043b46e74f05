// Logins at an identity provider on the Rust server: the same tests as for `createOidc` of `@kit/auth`, which run on Node in
// `packages/auth/test/oidc.test.ts`, with the same provider.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { createOidc } from "@kit/auth/oidc";

import { start } from "../../packages/auth/test/support/application.ts";
import { Browser } from "../../packages/auth/test/support/browser.ts";
import {
  callback,
  Provider,
  secret,
  type ShopRoutes,
  type ShopSettings,
  testOidc,
} from "../../packages/auth/test/support/oidc-tests.ts";
import { isRust, startRust } from "./rust.ts";

const query = (values: Record<string, string>): string => String(new URLSearchParams(values));

const key = "a key of at least 32 characters for tests";

async function shop(issuer: string, { clockToleranceMs, timeoutMs }: ShopSettings): Promise<ShopRoutes> {
  const served = await startRust("rust-server", { bodyBytes: 1024 }, "production", {
    KIT_COOKIE_KEYS: key,
    LOG_LEVEL: "fatal",
    OIDC_ISSUER: issuer,
    ...(clockToleranceMs !== undefined && { OIDC_TOLERANCE_MS: String(clockToleranceMs) }),
    ...(timeoutMs !== undefined && { OIDC_TIMEOUT_MS: String(timeoutMs) }),
  });
  const send = (path: string, search: string, headers = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${served.port}/oidc/${path}?${search}`, { headers });
  return {
    start: (returnTo) => send("start", query({ returnTo })),
    finish: (text, cookie) => send("callback", text, { cookie }),
    refresh: (token, subject) => send("refresh", query({ token, subject })),
    logout: (token) => send("logout", query({ token })),
    loggedOut: (token) => send("logged-out", query({ token })),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

describe("the Rust server", { skip: !isRust && "set KIT_E2E_SERVER=rust to run it" }, () => {
  testOidc("Rust", shop);

  test("a login that has begun on Node ends on Rust", async () => {
    await using provider = await Provider.start();
    const oidc = createOidc({
      issuer: provider.issuer,
      clientId: "shop",
      clientSecret: secret,
      redirectUri: callback,
    });
    await using node = await start(
      { "GET /start": async ({ ctx }) => ({ text: await oidc.start(ctx, { returnTo: "/orders" }) }) },
      { cookies: { keys: [key] } },
    );
    await using rust = await shop(provider.issuer, {});
    const begun = await node.send("/start");
    const { text } = (await begun.json()) as { text: string };
    const back = await new Browser().login(text, "ada", callback);
    const cookie = begun.headers.getSetCookie()[0]!.split(";")[0]!;
    const ended = await rust.finish(back.search.slice(1), cookie);
    const found = JSON.parse(((await ended.json()) as { text: string }).text) as Record<string, unknown>;
    assert.deepEqual([found["subject"], found["returnTo"]], ["ada", "/orders"]);
  });
});
