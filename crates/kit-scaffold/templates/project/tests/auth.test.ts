import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type JWTPayload, SignJWT } from "jose";
import { AUDIENCE, authKey, DEVELOPMENT_KEY, ISSUER } from "../src/auth-key.ts";
import { startApp, type TestApp } from "./support.ts";
import { developmentToken } from "./token.ts";

const HOUR = Math.floor(Date.now() / 1000) + 3600;
const CLAIMS = { sub: "ada", iss: ISSUER, aud: AUDIENCE, exp: HOUR };

function signed(claims: JWTPayload, alg = "HS256", key = DEVELOPMENT_KEY): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(key);
}

/** A part of a token. */
function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** The key of an application that is started with these variables. */
function keyWith(env: { NODE_ENV: string; AUTH_SECRET?: string }): Uint8Array {
  const { NODE_ENV, AUTH_SECRET } = process.env;
  try {
    Object.assign(process.env, { AUTH_SECRET: "", ...env });
    return authKey();
  } finally {
    Object.assign(process.env, { NODE_ENV: NODE_ENV ?? "", AUTH_SECRET: AUTH_SECRET ?? "" });
  }
}

describe("access tokens", () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app?.close());

  async function code(authorization: string): Promise<string> {
    const answer = await fetch(`${app.suite.url}/todos`, { headers: { authorization } });
    if (answer.status === 200) return "OK";
    assert.equal(answer.status, 401);
    return ((await answer.json()) as { error: { code: string } }).error.code;
  }

  test("are accepted if they are signed, current and for this application", async () => {
    assert.equal(await code(`Bearer ${await signed(CLAIMS)}`), "OK");
    assert.equal(await code(`Bearer ${await developmentToken("ada")}`), "OK");
  });

  test("are refused otherwise", async () => {
    const { exp: _, ...everlasting } = CLAIMS;
    const { sub: __, ...nobody } = CLAIMS;
    const tokens = [
      "ada",
      "a.b.c",
      `${part({ alg: "none" })}.${part(CLAIMS)}.`,
      await signed(CLAIMS, "HS512", new Uint8Array(64)),
      await signed(CLAIMS, "HS512"),
      await signed(CLAIMS, "HS256", new Uint8Array(32)),
      await signed({ ...CLAIMS, exp: HOUR - 7200 }),
      await signed({ ...CLAIMS, iss: "somebody-else" }),
      await signed({ ...CLAIMS, aud: "somebody-else" }),
      await signed({ ...CLAIMS, sub: "" }),
      await signed({ ...CLAIMS, sub: "a".repeat(101) }),
      await signed(everlasting),
      await signed(nobody),
    ];
    for (const token of tokens) assert.equal(await code(`Bearer ${token}`), "INVALID_TOKEN", token);
    assert.equal(await code(`Basic ${await signed(CLAIMS)}`), "UNAUTHORIZED");
    assert.equal(await code("Bearer ada:user"), "UNAUTHORIZED");
  });

  test("cannot be signed with the development key outside of development", () => {
    for (const NODE_ENV of ["production", "staging", "Development", ""]) {
      assert.throws(() => keyWith({ NODE_ENV }), /AUTH_SECRET has 0 bytes/, NODE_ENV);
    }
    const NODE_ENV = "production";
    assert.throws(() => keyWith({ NODE_ENV, AUTH_SECRET: "s".repeat(31) }), /AUTH_SECRET has 31 bytes/);
    const known = new TextDecoder().decode(DEVELOPMENT_KEY);
    assert.throws(() => keyWith({ NODE_ENV, AUTH_SECRET: known }), /is public/);
    // A secret that is given counts in development too.
    assert.throws(
      () => keyWith({ NODE_ENV: "development", AUTH_SECRET: "short" }),
      /AUTH_SECRET has 5 bytes/,
    );
    const secret = "s".repeat(32);
    assert.deepEqual(keyWith({ NODE_ENV, AUTH_SECRET: secret }), new TextEncoder().encode(secret));
    assert.deepEqual(keyWith({ NODE_ENV: "test" }), DEVELOPMENT_KEY);
  });
});
