import assert from "node:assert/strict";
import { describe, it, mock, type TestContext } from "node:test";

import { createJwtVerifier, InvalidTokenError, type JwtOptions, type JwtVerifier } from "@kit/auth";
import { type JWTPayload, SignJWT } from "jose";

import { KeyServer, validClaims } from "./support/key-server.ts";

const secret = new Uint8Array(32).fill(7);

function verifierWith(options: Partial<JwtOptions> = {}): JwtVerifier {
  return createJwtVerifier({ issuer: KeyServer.issuer, audience: "shop", keys: secret, ...options });
}

function signed(claims: JWTPayload = {}): Promise<string> {
  return new SignJWT({ ...validClaims(), ...claims }).setProtectedHeader({ alg: "HS256" }).sign(secret);
}

/** Returns a function that returns the number of signatures that were verified since this call. */
function countOfSignatures(t: TestContext): () => number {
  const verify = t.mock.method(crypto.subtle, "verify");
  return () => verify.mock.callCount();
}

describe("a token that was verified before", () => {
  it("is accepted without another verification of its signature", async (t) => {
    const [verifier, token] = [verifierWith(), await signed()];
    const signatures = countOfSignatures(t);
    for (let request = 0; request < 5; request += 1) {
      // oxlint-disable-next-line no-await-in-loop
      assert.equal((await verifier.verify(token)).subject, "ada");
    }
    assert.equal(signatures(), 1);
  });

  it("is verified with each request if `cachedTokens` is 0", async (t) => {
    const [verifier, token] = [verifierWith({ cachedTokens: 0 }), await signed()];
    const signatures = countOfSignatures(t);
    await verifier.verify(token);
    await verifier.verify(token);
    assert.equal(signatures(), 2);
  });

  it("is refused after its end, and before its begin if the clock is set back", async () => {
    const now = Math.floor(Date.now() / 1000);
    const [verifier, token] = [
      verifierWith({ clockToleranceMs: 0 }),
      await signed({ exp: now + 60, nbf: now }),
    ];
    mock.timers.enable({ apis: ["Date"], now: now * 1000 });
    try {
      await verifier.verify(token);
      mock.timers.setTime((now + 60) * 1000);
      await assert.rejects(verifier.verify(token), /ERR_JWT_EXPIRED/);
      mock.timers.setTime(now * 1000);
      await verifier.verify(token);
      mock.timers.setTime((now - 1) * 1000);
      await assert.rejects(verifier.verify(token), /ERR_JWT_CLAIM_VALIDATION_FAILED/);
    } finally {
      mock.timers.reset();
    }
  });

  it("does not make other texts valid, such as the same claims with another signature", async () => {
    const [verifier, token] = [verifierWith(), await signed()];
    await verifier.verify(token);
    for (const text of [`${token.slice(0, -4)}AAAA`, `${token}=`, token.slice(0, -1), ` ${token}`]) {
      // oxlint-disable-next-line no-await-in-loop
      await assert.rejects(verifier.verify(text), InvalidTokenError, text);
    }
  });

  it("gives each request claims of its own", async () => {
    const [verifier, token] = [verifierWith(), await signed({ roles: ["clerk"] })];
    for (let request = 0; request < 3; request += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const { claims } = await verifier.verify(token);
      assert.deepEqual(claims["roles"], ["clerk"]);
      (claims["roles"] as string[]).push("admin");
    }
  });

  it("leaves the cache when as many others were used since", async (t) => {
    const verifier = verifierWith({ cachedTokens: 4 });
    const tokens = await Promise.all(Array.from({ length: 6 }, (_, index) => signed({ jti: String(index) })));
    for (const token of tokens) {
      // oxlint-disable-next-line no-await-in-loop
      await verifier.verify(token);
    }
    const signatures = countOfSignatures(t);
    await verifier.verify(tokens[5]!);
    assert.equal(signatures(), 0);
    await verifier.verify(tokens[0]!);
    assert.equal(signatures(), 1);
  });

  it("is verified again with the new keys after its issuer has removed its key", async (t) => {
    await using issuer = await KeyServer.start("1", "2");
    const verifier = verifierWith({ keys: issuer.url, keyCache: { maxAgeMs: 50, cooldownMs: 0 } });
    const token = await issuer.token("1");
    await verifier.verify(token);
    const signatures = countOfSignatures(t);
    await verifier.verify(token);
    assert.equal(signatures(), 0);
    issuer.remove("1");
    await new Promise((resolve) => setTimeout(resolve, 70));
    await assert.rejects(verifier.verify(token), InvalidTokenError);
  });
});
