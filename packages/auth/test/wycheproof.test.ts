// Runs Project Wycheproof's vectors of JSON Web Signature, Encryption and Key through the verifier of tokens.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { createJwtVerifier, InvalidTokenError } from "@kit/auth";
import type { JSONWebKeySet, JWK } from "jose";

interface Vector {
  readonly tcId: number;
  readonly comment: string;
  /** Compact serialization, or an object with the JSON serialization. */
  readonly jws: unknown;
  readonly result: "valid" | "invalid";
  readonly flags: readonly string[];
}

interface Group {
  readonly comment: string;
  readonly private?: JWK | JSONWebKeySet;
  readonly public?: JWK | JSONWebKeySet;
  readonly tests: readonly Vector[];
}

function groupsOf(file: string): readonly Group[] {
  const path = new URL(`../../../conformance/wycheproof/${file}`, import.meta.url);
  return (JSON.parse(readFileSync(path, "utf8")) as { testGroups: readonly Group[] }).testGroups;
}

/**
 * Returns the keys of a group in the form in which an application passes them: secrets as bytes, without `kid`. A set
 * with two secrets of one `kid` stays a set, because bytes cannot express it.
 */
function keysOf(group: Group): { keys: JSONWebKeySet | Uint8Array[]; algorithms?: string[] } {
  const given = (group.public ?? group.private)!;
  const keys = "keys" in given ? (given as JSONWebKeySet).keys : [given as JWK];
  const isOfSecrets = keys.every(({ kty }) => kty === "oct");
  if (!isOfSecrets || new Set(keys.map(({ kid }) => kid)).size < keys.length) return { keys: { keys } };
  return {
    keys: keys.map(({ k }) => Buffer.from(k!, "base64url")),
    ...(keys[0]!.alg !== undefined && { algorithms: [keys[0]!.alg] }),
  };
}

/** Vectors whose result is not as they say, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "json_web_signature_test.json 346": "the `alg` of the key is PS256, and the token has PS384",
  "json_web_signature_test.json 347": "the `alg` of the key is ES521, which does not exist",
  "json_web_signature_test.json 350": "as 346",
  "json_web_signature_test.json 351": "as 347",
  "json_web_signature_test.json 367": "the text is that of a valid vector: the padding is missing",
  "json_web_signature_test.json 370": "as 367",
  "json_web_signature_test.json 372": "the character ? is not of base64url (RFC 7515, section 2)",
  "json_web_signature_test.json 373": "as 372",
};

/** Returns `accepted` if the signature is right, else the reason of the refusal. */
async function verdict(group: Group, vector: Vector): Promise<string> {
  try {
    const verifier = createJwtVerifier({ issuer: "i", audience: "a", ...keysOf(group) });
    await verifier.verify(String(vector.jws));
  } catch (error) {
    if (error instanceof TypeError) return `keys refused: ${error.message}`;
    assert.ok(error instanceof InvalidTokenError, String(error));
    // The payloads are no claims. `jose` says so only after it has verified the signature.
    const { code } = (error.cause ?? {}) as { code?: string };
    return code === "ERR_JWT_INVALID" ? "accepted" : error.message;
  }
  return "accepted";
}

for (const [file, count] of [
  ["json_web_signature_test.json", 401],
  ["json_web_key_test.json", 26],
] as const) {
  describe(file, () => {
    const groups = groupsOf(file);

    it(`has ${count} vectors`, () => {
      assert.equal(
        groups.reduce((sum, { tests }) => sum + tests.length, 0),
        count,
      );
    });

    it("has vectors that kit accepts if they are valid, and refuses if they are invalid", async () => {
      const wrong: string[] = [];
      for (const group of groups) {
        for (const vector of group.tests) {
          // oxlint-disable-next-line no-await-in-loop
          const found = await verdict(group, vector);
          const isAsSaid = (found === "accepted") === (vector.result === "valid");
          const isException = Object.hasOwn(exceptions, `${file} ${vector.tcId}`);
          if (isAsSaid !== isException) continue;
          wrong.push(`${group.comment} ${vector.tcId} ${vector.comment}: ${vector.result}, but ${found}`);
        }
      }
      assert.deepEqual(wrong, []);
    });
  });
}

describe("json_web_encryption_test.json", () => {
  const groups = groupsOf("json_web_encryption_test.json") as unknown as readonly {
    readonly tests: readonly { readonly tcId: number; readonly jwe: string }[];
  }[];

  it("has 139 tokens, which are all refused, because kit does not decrypt tokens", async () => {
    const verifier = createJwtVerifier({ issuer: "i", audience: "a", keys: Buffer.alloc(64) });
    let refused = 0;
    for (const { tests } of groups) {
      for (const { tcId, jwe } of tests) {
        // oxlint-disable-next-line no-await-in-loop
        await assert.rejects(verifier.verify(jwe), InvalidTokenError, String(tcId));
        refused += 1;
      }
    }
    assert.equal(refused, 139);
  });
});
