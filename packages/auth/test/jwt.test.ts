import assert from "node:assert/strict";
import { createPublicKey, createSecretKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, it } from "node:test";

import { createJwtVerifier, InvalidTokenError, jwt, type JwtOptions, optionalJwt } from "@kit/auth";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";

import { servers } from "../../../tests/conformance/servers.ts";
import { objectOf } from "../../core/test/support/compiled.ts";
import { codeOf, type Running, start } from "./support/application.ts";
import { KeyServer, validClaims } from "./support/key-server.ts";

const secret = randomBytes(64);
const given: JwtOptions = { issuer: KeyServer.issuer, audience: "shop", keys: secret };

function signed(claims: JWTPayload, header: object = {}, key: Uint8Array = secret): Promise<string> {
  return new SignJWT({ ...validClaims(), ...claims })
    .setProtectedHeader({ alg: "HS256", ...header })
    .sign(key);
}

interface Caller {
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly claims: object;
}

const me = ({ ctx }: { ctx: object }): { text: string } => {
  const auth = (ctx as { auth: Caller | null }).auth;
  return { text: auth === null ? "nobody" : JSON.stringify([auth.subject, auth.scopes]) };
};

function application(options: object, server?: Parameters<typeof start>[2]): Promise<Running> {
  return start({ "GET /me": me }, { middleware: [jwt({ ...given, ...options } as JwtOptions)] }, server);
}

function withToken(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** Returns the options for keys from a URL. */
function cached(url: URL, keyCache: object = {}): object {
  return { keys: url, keyCache };
}

async function refusal(options: object, token: string): Promise<string> {
  try {
    await createJwtVerifier({ ...given, ...options } as JwtOptions).verify(token);
    return "accepted";
  } catch (error) {
    assert.ok(error instanceof InvalidTokenError, String(error));
    return (error.cause as { code?: string } | undefined)?.code ?? error.message;
  }
}

describe("jwt", () => {
  for (const [name, make] of servers) {
    it(`accepts valid tokens and refuses others with a challenge on the server ${name}`, async () => {
      await using app = await application({ realm: "shop", scopes: ["orders:read"] }, make());
      const accepted = await app.send("/me", withToken(await signed({ scope: "orders:read admin" })));
      assert.equal(accepted.status, 200);
      assert.deepEqual(await accepted.json(), { text: '["ada",["orders:read"]]' });

      const missing = await app.send("/me");
      assert.equal(missing.status, 401);
      assert.equal(missing.headers.get("www-authenticate"), 'Bearer realm="shop"');
      assert.equal(await codeOf(missing), "UNAUTHORIZED");

      const refused = await app.send("/me", withToken(await signed({ aud: "other" })));
      assert.equal(refused.status, 401);
      assert.equal(
        refused.headers.get("www-authenticate"),
        'Bearer realm="shop", error="invalid_token", error_description="The access token is not valid"',
      );
      assert.equal(await codeOf(refused), "INVALID_TOKEN");
    });
  }

  it("refuses a header authorization that is not a bearer token", async () => {
    await using app = await application({});
    const token = await signed({});
    for (const authorization of [
      "",
      "Bearer",
      "Bearer ",
      `Basic ${token}`,
      token,
      `Bearer ${token} x`,
      `Bearer ${token},`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await app.send("/me", { headers: { authorization } });
      assert.equal(response.status, 401, authorization);
      // oxlint-disable-next-line no-await-in-loop
      assert.equal(await codeOf(response), "UNAUTHORIZED", authorization);
      assert.equal(response.headers.get("www-authenticate"), "Bearer");
    }
    for (const scheme of ["bearer", "BEARER", "Bearer  "]) {
      // oxlint-disable-next-line no-await-in-loop
      const { status } = await app.send("/me", { headers: { authorization: `${scheme} ${token}` } });
      assert.equal(status, 200, scheme);
    }
  });

  it("accepts the schemes of an option, and names the first one to requests without a token", async () => {
    await using app = await application({ schemes: ["Token", "Bearer"] });
    const token = await signed({});
    for (const [scheme, status] of [
      ["Token", 200],
      ["bearer", 200],
      ["Basic", 401],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await app.send("/me", { headers: { authorization: `${scheme} ${token}` } });
      assert.equal(response.status, status, scheme);
    }
    assert.equal((await app.send("/me")).headers.get("www-authenticate"), "Token");
    for (const schemes of [[], ["a b"], ["Bearer", ""]]) {
      assert.throws(
        () => jwt({ issuer: "https://id.example/", audience: "shop", keys: new Uint8Array(32), schemes }),
        /`schemes` must be a list of names such as Bearer/,
      );
    }
  });

  it("refuses tokens whose claims, header or signature are wrong", async () => {
    const now = Math.floor(Date.now() / 1000);
    const withoutExp = new SignJWT({ iss: KeyServer.issuer, aud: "shop", sub: "ada" });
    const tokens: Record<string, Promise<string> | string> = {
      "other issuer": signed({ iss: "https://other.example/" }),
      "other audience": signed({ aud: ["other"] }),
      "no audience": new SignJWT({ iss: KeyServer.issuer, sub: "ada", exp: now + 60 })
        .setProtectedHeader({ alg: "HS256" })
        .sign(secret),
      expired: signed({ exp: now - 6 }),
      "not yet valid": signed({ nbf: now + 60 }),
      "no expiry": withoutExp.setProtectedHeader({ alg: "HS256" }).sign(secret),
      "no subject": signed({ sub: "" }),
      "long subject": signed({ sub: "a".repeat(256) }),
      "other purpose": signed({}, { typ: "logout+jwt" }),
      "unknown critical header": signed({}).then((token) => {
        const [, payload] = token.split(".");
        const header = Buffer.from('{"alg":"HS256","crit":["x"],"x":1}').toString("base64url");
        return `${header}.${payload}.${token.split(".")[2]}`;
      }),
      "other algorithm": signed({}, { alg: "HS512" }),
      "other secret": signed({}, {}, randomBytes(64)),
      "no signature": new UnsecuredJWT(validClaims()).encode(),
      "changed payload": signed({}).then((token) => {
        const [header, , signature] = token.split(".");
        const payload = Buffer.from(JSON.stringify({ ...validClaims(), sub: "eve" })).toString("base64url");
        return `${header}.${payload}.${signature}`;
      }),
      "four parts": signed({}).then((token) => `${token}.a`),
      empty: "..",
      "too long": signed({ text: "a".repeat(8200) }),
    };
    for (const [what, token] of Object.entries(tokens)) {
      // oxlint-disable-next-line no-await-in-loop
      assert.notEqual(await refusal({}, await token), "accepted", what);
    }
    assert.equal(await refusal({}, await signed({})), "accepted");
    assert.equal(await refusal({}, await signed({ exp: now - 2 })), "accepted");
    assert.equal(await refusal({ clockToleranceMs: 0 }, await signed({ exp: now - 2 })), "ERR_JWT_EXPIRED");
    assert.equal(
      await refusal({ type: "at+jwt" }, await signed({}, { typ: "application/AT+JWT" })),
      "accepted",
    );
    assert.notEqual(await refusal({ type: "at+jwt" }, await signed({}, { typ: "JWT" })), "accepted");
  });

  it("does not accept a public key as a secret", async () => {
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = publicKey.export({ type: "spki", format: "pem" });
    const forged = await signed({}, {}, Buffer.from(pem));
    assert.equal(await refusal({ keys: publicKey }, forged), "ERR_JOSE_ALG_NOT_ALLOWED");
    const set = { keys: [createPublicKey(pem).export({ format: "jwk" })] };
    assert.equal(await refusal({ keys: set }, forged), "ERR_JOSE_ALG_NOT_ALLOWED");
  });

  it("accepts the old and the new key while one replaces the other", async () => {
    const [old, other] = [randomBytes(32), createSecretKey(randomBytes(32))];
    const keys = { keys: [other, createSecretKey(old)] };
    assert.equal(await refusal(keys, await signed({}, {}, old)), "accepted");
    assert.equal(
      await refusal(keys, await signed({}, {}, randomBytes(32))),
      "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
    );
  });

  it("reads scopes from the claims scope and scp or from a function, and ignores unknown scopes", async () => {
    const scopes = ["a:read", "a:write"] as const;
    const of = async (claims: JWTPayload, options: object = {}): Promise<readonly string[]> => {
      const verifier = createJwtVerifier<string>({ ...given, scopes, ...options });
      const auth = await verifier.verify(await signed(claims));
      for (const scope of ["a:read", "a:write", "admin"]) {
        assert.equal(
          (auth.has as (scope: string) => boolean)(scope),
          (auth.scopes as string[]).includes(scope),
        );
      }
      return auth.scopes;
    };
    assert.deepEqual(await of({ scope: "a:read admin a:read" }), ["a:read"]);
    assert.deepEqual(await of({ scp: ["a:write", 7, "a:read"] }), ["a:write", "a:read"]);
    assert.deepEqual(await of({ scope: 7 }), []);
    assert.deepEqual(await of({}), []);
    const roles = { scopesOf: ({ role }: JWTPayload) => (role === "clerk" ? ["a:write"] : []) };
    assert.deepEqual(await of({ role: "clerk", scope: "a:read" }, roles), ["a:write"]);
  });

  it("decodes the claims with a validator, and refuses tokens that break its rules", async () => {
    const claims = objectOf("Claims", { tenant: "string" });
    const verifier = createJwtVerifier({ ...given, claims });
    const auth = await verifier.verify(await signed({ tenant: "north", extra: true }));
    assert.deepEqual(auth.claims, { tenant: "north" });
    assert.match(
      await refusal({ claims }, await signed({ tenant: 7 })),
      /^Claims break the rules of Claims: \$\.tenant/,
    );
  });

  it("logs the reason for a refused token, without the token", async () => {
    await using app = await application({});
    const token = await signed({ aud: "other" });
    await app.send("/me", withToken(token));
    const text = JSON.stringify(app.log);
    assert.match(text, /ERR_JWT_CLAIM_VALIDATION_FAILED/);
    assert.ok(!text.includes(token.split(".")[2]!));
  });

  it("refuses options that are unknown or not safe when it is created", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const jwk = publicKey.export({ format: "jwk" });
    const wrong: readonly [object, RegExp][] = [
      [{ audiense: "shop" }, /no option `audiense`/],
      [{ issuer: "" }, /`issuer` must be a name/],
      [{ audience: [] }, /`audience` must be a name/],
      [{ keys: randomBytes(31) }, /31 bytes, and HS256 needs at least 32/],
      [{ keys: randomBytes(32), algorithms: ["HS512"] }, /needs at least 64/],
      [{ algorithms: ["RS256"] }, /may contain only HS256, HS384, HS512/],
      [{ keys: publicKey, algorithms: ["HS256"] }, /because the keys are public keys, not HS256/],
      [{ keys: publicKey, algorithms: ["none"] }, /not none/],
      [{ algorithms: [] }, /not an empty list/],
      [{ keys: privateKey }, /must be a URL, a JWK set, public keys or secrets/],
      [{ keys: [secret, publicKey] }, /only secrets or only public keys/],
      [{ keys: [] }, /must have 1 to 10 keys/],
      [{ keys: { keys: [privateKey.export({ format: "jwk" })] } }, /private or secret key/],
      [
        {
          keys: {
            keys: [
              { ...jwk, kid: "1" },
              { ...jwk, kid: "1" },
            ],
          },
        },
        /two keys with the `kid` "1"/,
      ],
      [{ keys: { keys: "x" } }, /an object with the list `keys`/],
      [{ keys: new URL("http://id.example/keys") }, /must begin with https:/],
      [{ keys: new URL("https://a:b@id.example/keys") }, /have no password/],
      [{ keyCache: { maxAgeMs: 1 } }, /needs a URL/],
      [{ keys: new URL("https://id.example"), keyCache: { maxAge: 1 } }, /no option `maxAge`/],
      [{ clockToleranceMs: 300_001 }, /from 0 to 300000/],
      [{ scopes: ["a b"] }, /without blanks/],
      [{ realm: 'a"' }, /realm: write printable ASCII/],
    ];
    for (const [options, message] of wrong) {
      assert.throws(() => jwt({ ...given, ...options } as JwtOptions), message);
    }
  });
});

describe("optionalJwt", () => {
  it("accepts requests without a token, and refuses requests with an invalid token", async () => {
    await using app = await start({ "GET /me": me }, { middleware: [optionalJwt(given)] });
    assert.deepEqual(await (await app.send("/me")).json(), { text: "nobody" });
    assert.equal((await app.send("/me", withToken(await signed({})))).status, 200);
    assert.equal((await app.send("/me", withToken("a.b.c"))).status, 401);
    assert.equal((await app.send("/me", { headers: { authorization: "Basic eA==" } })).status, 401);
  });
});

describe("keys from a URL", () => {
  it("are fetched once for many requests", async () => {
    await using issuer = await KeyServer.start("1");
    await using app = await application(cached(issuer.url));
    const token = await issuer.token("1");
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.send("/me", withToken(token))));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(issuer.requests, 1);
  });

  it("are fetched again for an unknown key, but not more often than the cooldown allows", async () => {
    await using issuer = await KeyServer.start("1");
    await using app = await application(cached(issuer.url, { cooldownMs: 100 }));
    assert.equal((await app.send("/me", withToken(await issuer.token("1")))).status, 200);
    await issuer.add("2");
    const rotated = withToken(await issuer.token("2"));
    assert.equal((await app.send("/me", rotated)).status, 401);
    assert.equal(issuer.requests, 1);
    await new Promise((resolve) => setTimeout(resolve, 120));
    assert.equal((await app.send("/me", rotated)).status, 200);
    assert.equal(issuer.requests, 2);
    const unknown = withToken(await issuer.token("2", {}, { kid: "9" }));
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.send("/me", unknown)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]));
    assert.ok(issuer.requests <= 3, String(issuer.requests));
  });

  it("are no longer accepted after the issuer has removed them", async () => {
    await using issuer = await KeyServer.start("1", "2");
    await using app = await application(cached(issuer.url, { maxAgeMs: 60, cooldownMs: 0 }));
    const retired = withToken(await issuer.token("1"));
    assert.equal((await app.send("/me", retired)).status, 200);
    issuer.remove("1");
    await new Promise((resolve) => setTimeout(resolve, 80));
    assert.equal((await app.send("/me", retired)).status, 401);
    assert.equal((await app.send("/me", withToken(await issuer.token("2")))).status, 200);
  });

  it("give 503 with Retry-After if they were never fetched, and work when the URL answers again", async () => {
    await using issuer = await KeyServer.start("1");
    const works = issuer.answer;
    await using app = await application(cached(issuer.url, { retryMs: 50 }));
    const token = withToken(await issuer.token("1"));
    issuer.answer = (response) => response.writeHead(500).end();
    const refused = await app.send("/me", token);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get("retry-after"), "1");
    assert.equal(await codeOf(refused), "SERVICE_UNAVAILABLE");
    assert.equal((await app.send("/me", token)).status, 503);
    assert.equal(issuer.requests, 1, "the pause after a failure is kept");
    issuer.answer = works;
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.equal((await app.send("/me", token)).status, 200);
  });

  it("are used during an outage until they are too old", async () => {
    await using issuer = await KeyServer.start("1");
    await using app = await application(cached(issuer.url, { maxAgeMs: 20, maxStaleMs: 400, retryMs: 0 }));
    const token = withToken(await issuer.token("1"));
    assert.equal((await app.send("/me", token)).status, 200);
    issuer.answer = (response) => response.destroy();
    await new Promise((resolve) => setTimeout(resolve, 40));
    assert.equal((await app.send("/me", token)).status, 200);
    const unknown = await app.send("/me", withToken(await issuer.token("1", {}, { kid: "9" })));
    assert.equal(unknown.status, 401);
    await new Promise((resolve) => setTimeout(resolve, 420));
    assert.equal((await app.send("/me", token)).status, 503);
    assert.match(JSON.stringify(app.log), /The keys that verify tokens cannot be fetched/);
  });

  it("lead to 503 within the timeout if the URL sends no answer or an invalid answer", async () => {
    await using issuer = await KeyServer.start("1");
    const answers: Record<string, typeof issuer.answer> = {
      silent: () => undefined,
      large: (response) => response.end(`{"keys":[],"x":"${"x".repeat(300_000)}"}`),
      redirected: (response) => response.writeHead(302, { location: "/other" }).end(),
      malformed: (response) => response.end("{"),
      private: (response) => response.end(JSON.stringify({ keys: [{ ...issuer.jwk("1"), d: "AA" }] })),
    };
    const token = withToken(await issuer.token("1"));
    for (const [what, answer] of Object.entries(answers)) {
      issuer.answer = answer;
      // oxlint-disable-next-line no-await-in-loop
      await using app = await application(cached(issuer.url, { timeoutMs: 200 }));
      // oxlint-disable-next-line no-await-in-loop
      assert.equal((await app.send("/me", token)).status, 503, what);
    }
  });
});
