import { KeyObject } from "node:crypto";

import type { Logger } from "@kit/types";
import {
  createLocalJWKSet,
  type CryptoKey,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from "jose";

import type { JwtKey } from "./jwt-options.ts";
import { weaknessOfRsa } from "./weak-rsa.ts";

/** Keys that may have signed a token. An empty list if no key fits. */
export type Candidates = readonly (CryptoKey | JwtKey)[];

/** Source of the keys that verify signatures. */
export interface KeySource {
  /** Returns the keys that fit the header of a token. */
  find(header: JWSHeaderParameters, token: FlattenedJWSInput, log: Logger | undefined): Promise<Candidates>;
}

/**
 * Maximum number of keys that fit one token. Tokens without `kid` are tried with each key, and each try costs a
 * verification.
 */
export const mostCandidates = 10;

/** Maximum number of keys in a JWK set. */
const mostKeys = 100;

/** Members of a JWK that only private and secret keys have (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1; RFC 9964). */
const secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"];

/**
 * Returns a JWK set whose members are public keys.
 *
 * @throws {TypeError} If the value is not a JWK set, has too many keys, has two keys with the same id and type, or has a
 * private, secret or unsafe key.
 */
export function readKeySet(value: unknown): JSONWebKeySet {
  const { keys } = (typeof value === "object" && value !== null ? value : {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new TypeError("a JWK set must be an object with the list `keys`");
  if (keys.length > mostKeys) {
    throw new TypeError(`the JWK set has ${keys.length} keys, and at most ${mostKeys} are allowed`);
  }
  const ids = new Set<string>();
  for (const [index, key] of keys.entries()) {
    if (typeof key !== "object" || key === null || typeof (key as { kty?: unknown }).kty !== "string") {
      throw new TypeError(`key ${index} of the JWK set has no \`kty\``);
    }
    const secret = secretMembers.find((member) => Object.hasOwn(key as object, member));
    if (secret !== undefined) {
      throw new TypeError(
        `key ${index} of the JWK set is a private or secret key, because it has the member \`${secret}\`; use public keys only`,
      );
    }
    const { kty, kid, alg = "", n, e } = key as Readonly<Record<string, string | undefined>>;
    const weakness = kty === "RSA" ? weaknessOfRsa(n, e) : undefined;
    if (weakness !== undefined) throw new TypeError(`key ${index} of the JWK set is not safe: ${weakness}`);
    if (kid === undefined) continue;
    const id = JSON.stringify([kty, kid, alg]);
    if (ids.has(id)) throw new TypeError(`the JWK set has two keys with the \`kid\` ${JSON.stringify(kid)}`);
    ids.add(id);
  }
  return value as JSONWebKeySet;
}

/** Keys of a JWK set. */
export class KeySet implements KeySource {
  readonly #find: ReturnType<typeof createLocalJWKSet>;

  constructor(set: JSONWebKeySet) {
    this.#find = createLocalJWKSet(set);
  }

  async find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<Candidates> {
    try {
      return [await this.#find(header, token)];
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === "ERR_JWKS_NO_MATCHING_KEY") return [];
      if (code === "ERR_JWKS_MULTIPLE_MATCHING_KEYS") return several(error as AsyncIterable<CryptoKey>);
      if (error instanceof errors.JOSEError) throw error;
      // Web Crypto refuses the numbers of the key, such as a point that is not on the curve.
      throw new errors.JWKInvalid("A key of the JWK set cannot be used", { cause: error });
    }
  }
}

async function several(keys: AsyncIterable<CryptoKey>): Promise<Candidates> {
  const found: CryptoKey[] = [];
  for await (const key of keys) {
    found.push(key);
    if (found.length === mostCandidates) break;
  }
  return found;
}

/** Keys that the application passes itself. */
export class GivenKeys implements KeySource {
  readonly #keys: Candidates;

  constructor(keys: readonly JwtKey[]) {
    this.#keys = keys;
  }

  find(): Promise<Candidates> {
    return Promise.resolve(this.#keys);
  }
}

/** Bytes of the hash of each algorithm with a secret. A shorter secret weakens the signature (RFC 7518, section 3.2). */
export const secretBytes: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/** Algorithms with public keys. */
export const publicAlgorithms: readonly string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** Returns true for a secret, and false for a public key. */
export function isSecret(key: unknown): boolean {
  return key instanceof Uint8Array || (key instanceof KeyObject && key.type === "secret");
}

/**
 * Checks the keys that the application passes itself.
 *
 * @throws {TypeError} If the list is empty, too long or mixed, a secret is too short, or a key is private.
 */
export function checkKeys(owner: string, keys: readonly JwtKey[], algorithms: readonly string[]): void {
  if (keys.length === 0 || keys.length > mostCandidates) {
    throw new TypeError(`${owner}: \`keys\` must have 1 to ${mostCandidates} keys, not ${keys.length}`);
  }
  for (const key of keys) {
    if (isSecret(key) !== isSecret(keys[0])) {
      throw new TypeError(`${owner}: \`keys\` must have only secrets or only public keys, not both`);
    }
    if (isSecret(key)) checkSecret(owner, key, algorithms);
    else if (!(key instanceof KeyObject) || key.type !== "public") {
      throw new TypeError(
        `${owner}: \`keys\` must be a URL, a JWK set, public keys or secrets; make a public key with createPublicKey of node:crypto`,
      );
    } else readKeySet({ keys: [key.export({ format: "jwk" })] });
  }
}

function checkSecret(owner: string, key: JwtKey, algorithms: readonly string[]): void {
  const bytes = key instanceof Uint8Array ? key.length : (key.symmetricKeySize ?? 0);
  for (const algorithm of algorithms) {
    const least = secretBytes[algorithm] ?? 0;
    if (bytes >= least) continue;
    throw new TypeError(
      `${owner}: the secret has ${bytes} bytes, and ${algorithm} needs at least ${least}; make one with: openssl rand -base64 ${Math.ceil((least * 3) / 2)}`,
    );
  }
}
