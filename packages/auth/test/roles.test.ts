import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { createJwtVerifier, defineRoles } from "@kit/auth";
import { SignJWT } from "jose";

import { KeyServer, validClaims } from "./support/key-server.ts";

const roles = defineRoles({
  clerk: ["orders:read"],
  manager: ["orders:read", "orders:write"],
});

describe("defineRoles", () => {
  it("returns the scopes of one role and of several roles, each scope once", () => {
    assert.deepEqual(roles.scopesOf("clerk"), ["orders:read"]);
    assert.deepEqual(roles.scopesOf(["clerk", "manager"]), ["orders:read", "orders:write"]);
  });

  it("returns no scopes for names and values that are not roles", () => {
    for (const value of [
      undefined,
      null,
      1,
      {},
      [],
      "admin",
      "constructor",
      "__proto__",
      [["manager"], null],
    ]) {
      assert.deepEqual(roles.scopesOf(value), [], JSON.stringify(value));
    }
  });

  it("returns the scopes of all roles for the option of a middleware", () => {
    assert.deepEqual(roles.scopes, ["orders:read", "orders:write"]);
  });

  it("refuses names that are not scopes of OAuth 2.0", () => {
    assert.throws(() => defineRoles({ clerk: ["orders read"] }), {
      name: "TypeError",
      message:
        'defineRoles: the role "clerk" must have names of 1 to 200 printable ASCII characters without blanks, quotes and backslashes, not "orders read"',
    });
  });

  it("gives the caller of a token the scopes of the token's roles", async () => {
    const keys = new Uint8Array(64).fill(1);
    const verifier = createJwtVerifier({
      issuer: KeyServer.issuer,
      audience: "shop",
      keys,
      scopes: roles.scopes,
      scopesOf: (claims) => roles.scopesOf(claims["roles"]),
    });
    const token = await new SignJWT({ ...validClaims(), roles: ["manager", "guest"], scope: "admin" })
      .setProtectedHeader({ alg: "HS256" })
      .sign(keys);
    const auth = await verifier.verify(token);
    assert.deepEqual(auth.scopes, ["orders:read", "orders:write"]);
    assert.equal(auth.has("orders:write"), true);
  });
});
