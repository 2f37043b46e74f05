import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { createOidc, type OidcOptions } from "@kit/auth/oidc";
import type { BaseContext } from "@kit/core";

import { start } from "./support/application.ts";
import {
  afterLogout,
  callback,
  secret,
  type ShopRoutes,
  type ShopSettings,
  testOidc,
} from "./support/oidc-tests.ts";

async function shop(issuer: string, settings: ShopSettings): Promise<ShopRoutes> {
  const oidc = createOidc({
    issuer,
    clientId: "shop",
    clientSecret: secret,
    redirectUri: callback,
    scope: "openid offline_access",
    ...settings,
  });
  const app = await start(
    {
      "GET /login/*to": async ({ ctx }) => ({
        text: await oidc.start(ctx, {
          returnTo: decodeURIComponent(ctx.rawWildcard!),
          parameters: { prompt: "consent" },
        }),
      }),
      "GET /callback/*query": async ({ ctx }) => {
        const query = Object.fromEntries(new URLSearchParams(decodeURIComponent(ctx.rawWildcard!)));
        return { text: JSON.stringify(await oidc.finish(ctx, query)) };
      },
      "GET /refresh/:token/:subject": async ({ ctx }) => {
        const [token = "", subject = ""] = ctx.path.split("/").slice(2);
        return { text: JSON.stringify(await oidc.refresh(ctx, token, subject)) };
      },
      "GET /logout/:token": async ({ ctx }) => ({
        text: String(await oidc.logoutUrl(ctx, ctx.path.split("/").at(-1)!, afterLogout)),
      }),
      "GET /logged-out/*token": async ({ ctx }) => ({
        text: JSON.stringify(await oidc.verifyLogout(ctx, ctx.rawWildcard ?? "")),
      }),
    },
    { cookies: { keys: ["a key of at least 32 characters for tests"] } },
  );
  return {
    start: (returnTo) => app.send(`/login/${encodeURIComponent(returnTo)}`),
    finish: (query, cookie) => app.send(`/callback/${encodeURIComponent(query)}`, { headers: { cookie } }),
    refresh: (token, subject) => app.send(`/refresh/${token}/${subject}`),
    logout: (idToken) => app.send(`/logout/${idToken}`),
    loggedOut: (token) => app.send(`/logged-out/${token}`),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

testOidc("Node", shop);

describe("createOidc", () => {
  it("refuses parameters of a login that kit sets itself", async () => {
    const oidc = createOidc({
      issuer: "https://id.example",
      clientId: "shop",
      redirectUri: "https://shop.example/callback",
    });
    for (const [name, reason] of [
      ["scope", "set the option `scope` of createOidc"],
      ["state", "kit sets this parameter"],
      ["max_age", "kit does not verify the claim `auth_time`; use `prompt=login`"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      await assert.rejects(oidc.start({} as BaseContext, { parameters: { [name]: "x" } }), {
        message: `Oidc.start: remove the parameter \`${name}\`: ${reason}`,
      });
    }
  });

  it("refuses options that are unknown or not safe when it is created", () => {
    const given = {
      issuer: "https://id.example",
      clientId: "shop",
      redirectUri: "https://shop.example/callback",
    };
    for (const [options, message] of [
      [{ issuer: "http://id.example" }, /`issuer` must be a URL with https:/],
      [{ redirectUri: "/callback" }, /`redirectUri` must be a URL/],
      [{ redirectUri: "https://shop.example/callback?x=1" }, /without a query/],
      [{ clientId: "" }, /`clientId` must be/],
      [{ scope: "email" }, /`scope` must have openid/],
      [{ cookie: "login" }, /must begin with __Host-/],
      [{ secret: "x" }, /no option `secret`/],
      [{ loginMs: 1 }, /loginMs must be an integer from 10000/],
    ] as const) {
      assert.throws(() => createOidc({ ...given, ...options } as OidcOptions), message);
    }
  });
});
