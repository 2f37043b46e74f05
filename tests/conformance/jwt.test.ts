// Access tokens on every server: the same tokens are accepted and refused, with the same challenges, while keys are
// replaced and while their URL does not answer.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { jwt } from "@kit/auth";
import { type AppOptions, createApp } from "@kit/core";
import type { ServerAdapter } from "@kit/types";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";

import { KeyServer, validClaims } from "../../packages/auth/test/support/key-server.ts";
import { compiled, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import type { Served } from "./application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

const realm = 'Bearer realm="shop"';
const invalid = `${realm}, error="invalid_token", error_description="The access token is not valid"`;

interface Caller {
  readonly subject: string;
  readonly scopes: readonly string[];
}

const show = ({ ctx }: { ctx: object }): Caller => {
  const { subject, scopes } = (ctx as { auth: Caller }).auth;
  return { subject, scopes };
};

/** Serializer of any JSON. */
const response = {
  name: "TokenCaller",
  is: () => true,
  failures: () => [],
  decode: (value: unknown) => value,
  serialize: (value: unknown) => JSON.stringify(value),
} as never;

async function serve(server: ServerAdapter, keys: URL): Promise<Served> {
  const requireToken = jwt({
    issuer: KeyServer.issuer,
    audience: "shop",
    keys,
    scopes: ["orders:read", "orders:write"],
    realm: "shop",
    keyCache: { cooldownMs: 50, retryMs: 50 },
  });
  const middleware = ["requireToken"];
  const app = createApp({
    server,
    compiled: compiled(
      route("GET /token/caller", { response, middleware }),
      route("GET /token/orders", {
        response,
        middleware,
        scopes: { anyOf: [["orders:write"]], isBearer: true },
      }),
    ),
    env: "production",
    signals: false,
    logging: { level: "fatal" },
    routes: [
      {
        handlers: { "GET /token/caller": show, "GET /token/orders": show },
        middleware: [{ name: "requireToken", middleware: requireToken, priority: 0 }],
      },
    ],
  } as unknown as AppOptions);
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly challenge: string | null;
  readonly retryAfter: string | null;
  readonly caller: Caller;
}

async function send(port: number, authorization?: string, path = "/token/caller"): Promise<Answer> {
  const headers = authorization === undefined ? {} : { authorization };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const body = (await answer.json()) as Caller & { error?: { code: string } };
  return {
    status: answer.status,
    code: body.error?.code,
    challenge: answer.headers.get("www-authenticate"),
    retryAfter: answer.headers.get("retry-after"),
    caller: body,
  };
}

/** Makes the tests of one server. */
function check(name: string, start: (keys: URL) => Promise<Served>): void {
  describe(name, () => {
    let keys: KeyServer;
    let app: Served;
    before(async () => {
      keys = await KeyServer.start("first");
      app = await start(keys.url);
    });
    after(async () => {
      await app[Symbol.asyncDispose]();
      await keys[Symbol.asyncDispose]();
    });

    const signed = (claims: JWTPayload = {}, kid = "first"): Promise<string> => keys.token(kid, claims);

    test("responds with 503 while keys were never fetched, and recovers", async () => {
      keys.answer = (unavailable) => void unavailable.writeHead(500).end();
      const token = await signed();
      const refused = await send(app.port, `Bearer ${token}`);
      assert.deepEqual([refused.status, refused.code], [503, "SERVICE_UNAVAILABLE"]);
      assert.equal(refused.retryAfter, "1");
      keys.answer = (working) => keys.answerKeys(working);
      await sleep(60);
      assert.equal((await send(app.port, `Bearer ${token}`)).status, 200);
    });

    test("accepts a valid token with its scopes", async () => {
      const token = await signed({ scope: "orders:read admin" });
      for (const scheme of ["Bearer", "bearer", "BEARER "]) {
        // oxlint-disable-next-line no-await-in-loop
        const { status, caller } = await send(app.port, `${scheme} ${token}`);
        assert.deepEqual([status, caller], [200, { subject: "ada", scopes: ["orders:read"] }]);
      }
    });

    test("checks the scopes of contracts with those of the token", async () => {
      const read = await send(app.port, `Bearer ${await signed({ scope: "orders:read" })}`, "/token/orders");
      assert.deepEqual([read.status, read.code], [403, "INSUFFICIENT_SCOPE"]);
      assert.equal(read.challenge, 'Bearer error="insufficient_scope", scope="orders:write"');
      const write = await send(
        app.port,
        `Bearer ${await signed({ scp: ["orders:write"] })}`,
        "/token/orders",
      );
      assert.equal(write.status, 200);
    });

    test("refuses requests without a bearer token", async () => {
      const token = await signed();
      for (const header of [
        undefined,
        "Bearer",
        `Basic ${token}`,
        token,
        `Bearer ${token} x`,
        `Bearer ${token},`,
      ]) {
        // oxlint-disable-next-line no-await-in-loop
        const { status, code, challenge } = await send(app.port, header);
        assert.deepEqual([status, code, challenge], [401, "UNAUTHORIZED", realm], header);
      }
    });

    test("refuses tokens that are forged, expired or for others", async () => {
      const now = Math.floor(Date.now() / 1000);
      const good = await signed();
      const [header, payload, signature] = good.split(".") as [string, string, string];
      const forged = Buffer.from(JSON.stringify({ ...validClaims(), sub: "eve" })).toString("base64url");
      const tokens: Readonly<Record<string, string>> = {
        "other issuer": await signed({ iss: "https://other.example/" }),
        "other audience": await signed({ aud: ["other"] }),
        expired: await signed({ exp: now - 6 }),
        "not yet valid": await signed({ nbf: now + 60 }),
        "no subject": await signed({ sub: "" }),
        "changed payload": `${header}.${forged}.${signature}`,
        "changed signature": `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
        "no signature": new UnsecuredJWT(validClaims()).encode(),
        "the public key as a secret": await new SignJWT(validClaims())
          .setProtectedHeader({ alg: "HS256", kid: "first" })
          .sign(Buffer.from(JSON.stringify(keys.url))),
        "four parts": `${good}.a`,
        "too long": await signed({ text: "a".repeat(8200) }),
      };
      for (const [what, token] of Object.entries(tokens)) {
        // oxlint-disable-next-line no-await-in-loop
        const { status, code, challenge } = await send(app.port, `Bearer ${token}`);
        assert.deepEqual([status, code, challenge], [401, "INVALID_TOKEN", invalid], what);
      }
      assert.equal((await send(app.port, `Bearer ${await signed({ exp: now - 2 })}`)).status, 200);
    });

    test("fetches keys again for an unknown key, and not for every token", async () => {
      await keys.add("second");
      await sleep(60);
      assert.equal((await send(app.port, `Bearer ${await signed({}, "second")}`)).status, 200);
      const fetched = keys.requests;
      const token = await signed();
      await Promise.all(Array.from({ length: 20 }, () => send(app.port, `Bearer ${token}`)));
      assert.equal(keys.requests, fetched);
    });

    test("keeps known keys while their URL does not answer", async () => {
      keys.answer = (unavailable) => void unavailable.writeHead(500).end();
      await keys.add("third");
      await sleep(60);
      const unknown = await send(app.port, `Bearer ${await signed({}, "third")}`);
      assert.deepEqual([unknown.status, unknown.retryAfter], [503, "1"]);
      assert.equal((await send(app.port, `Bearer ${await signed()}`)).status, 200);
      keys.answer = (working) => keys.answerKeys(working);
    });
  });
}

for (const [name, make] of servers) check(name, (keys) => serve(make(), keys));
if (isRust) {
  check("rust", (keys) =>
    startRust("rust-server", { bodyBytes: 1024 }, "production", { JWKS_URL: keys.href }),
  );
}
