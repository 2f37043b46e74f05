import type { KeyObject } from "node:crypto";

import type { Validator } from "@kit/types";
import type { JSONWebKeySet, JWTPayload } from "jose";

/** Claims of a token before the application checks their types (RFC 7519, section 4). */
export type JwtClaims = JWTPayload;

/** Secret of an HMAC, or a public key. */
export type JwtKey = Uint8Array | KeyObject;

/** Options of the cache for keys from a URL. */
export interface JwtKeyCacheOptions {
  /** Age in milliseconds after which keys are fetched again. Default 600,000 (10 minutes). */
  readonly maxAgeMs?: number;
  /**
   * Age in milliseconds up to which keys are used while the URL does not answer. Afterwards the middleware answers 503.
   * Default 86,400,000 (one day).
   */
  readonly maxStaleMs?: number;
  /** Shortest time in milliseconds between a fetch and another that an unknown `kid` causes. Default 30,000. */
  readonly cooldownMs?: number;
  /** Shortest time in milliseconds between a failed fetch and the next. Default 5,000. */
  readonly retryMs?: number;
  /** Longest time in milliseconds of one fetch. Default 5,000. */
  readonly timeoutMs?: number;
}

/** Options of {@link jwt}, {@link optionalJwt} and {@link createJwtVerifier}. */
export interface JwtOptions<TScope extends string = never, TClaims = JwtClaims> {
  /** Accepted values of the claim `iss`. */
  readonly issuer: string | readonly string[];
  /** Accepted values of the claim `aud`: the names of this application at the issuer. */
  readonly audience: string | readonly string[];
  /**
   * Keys that verify signatures. A URL of a JWK set (RFC 7517), a JWK set, a public key, a secret with at least as many
   * bytes as the algorithm's hash, or a list of keys or secrets while one replaces another.
   */
  readonly keys: URL | JSONWebKeySet | JwtKey | readonly JwtKey[];
  /**
   * Accepted algorithms (RFC 7518, section 3.1). Default for public keys: RS256, RS384, RS512, PS256, PS384, PS512, ES256,
   * ES384, ES512, EdDSA and Ed25519. Default for secrets: HS256. A list cannot have algorithms of two kinds.
   */
  readonly algorithms?: readonly string[];
  /** Scopes that contracts of this application may require. Other scopes of a token are ignored. Default: none. */
  readonly scopes?: readonly TScope[];
  /**
   * Returns the scopes of a token. Default: the claim `scope` (RFC 8693), else the claim `scp`, as a list or as words
   * with blanks between them.
   */
  readonly scopesOf?: (claims: JwtClaims) => readonly string[];
  /** Generated validator of the type of the claims. Default: the claims are not checked further. */
  readonly claims?: Validator<TClaims>;
  /** Accepted difference between the clocks of issuer and application, in milliseconds. Default 5,000, at most 300,000. */
  readonly clockToleranceMs?: number;
  /**
   * Required value of the header `typ`, such as `at+jwt` (RFC 9068). Default: a token may have no `typ`, `JWT` or
   * `at+jwt`, so that tokens for other purposes are refused.
   */
  readonly type?: string;
  /** Maximum length of a token in characters. Default 8,192. */
  readonly maxTokenLength?: number;
  /**
   * Number of tokens whose signatures are not verified again while their key is in use. Default 1,000; 0 verifies the
   * signature with each request.
   */
  readonly cachedTokens?: number;
  /**
   * Accepted schemes of the header `authorization`, of any case. Responses to requests without a token name the first
   * scheme. Default `Bearer`.
   */
  readonly schemes?: readonly string[];
  /** Name of the protected area in the header `www-authenticate`. Default: none. */
  readonly realm?: string;
  /** Cache for keys from a URL. */
  readonly keyCache?: JwtKeyCacheOptions;
}

/** Known options. */
export const knownOptions: Readonly<Record<keyof JwtOptions, true>> = {
  issuer: true,
  audience: true,
  keys: true,
  algorithms: true,
  scopes: true,
  scopesOf: true,
  claims: true,
  clockToleranceMs: true,
  type: true,
  maxTokenLength: true,
  cachedTokens: true,
  schemes: true,
  realm: true,
  keyCache: true,
};
