import { KeyObject } from "node:crypto";

import type { Auth, Logger, Validator } from "@kit/types";
import {
  type CompactJWSHeaderParameters,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from "jose";

import { integerOption, refuseUnknown } from "../check-options.ts";
import { GrantedScopes, vocabularyOf } from "../scopes.ts";
import { type JwtClaims, type JwtKey, type JwtOptions, knownOptions } from "./jwt-options.ts";
import {
  type Candidates,
  checkKeys,
  GivenKeys,
  isSecret,
  KeySet,
  type KeySource,
  publicAlgorithms,
  readKeySet,
  secretBytes,
} from "./key-source.ts";
import { RemoteKeys } from "./remote-keys.ts";

/** Caller of a request with a valid token. */
export interface JwtAuth<TScope extends string = never, TClaims = JwtClaims> extends Auth<TScope> {
  /** Claim `sub`: the id of the caller at the issuer. Unique only together with the issuer. */
  readonly subject: string;
  /** Scopes of the token that the middleware knows. */
  readonly scopes: readonly TScope[];
  /** Claims of the token. */
  readonly claims: TClaims;
}

/** Error of a token that is not valid. The message contains no part of the token. */
export class InvalidTokenError extends Error {
  static {
    Object.defineProperty(this.prototype, "name", {
      value: "InvalidTokenError",
      configurable: true,
      writable: true,
    });
  }
}

/** Verifies tokens outside of the middleware, such as the first message of a WebSocket. */
export interface JwtVerifier<TScope extends string = never, TClaims = JwtClaims> {
  /**
   * Resolves to the caller that a token names.
   *
   * @throws {InvalidTokenError} If the token is not valid.
   * @throws {AuthServiceError} If the keys cannot be fetched.
   */
  verify(token: string, log?: Logger): Promise<JwtAuth<TScope, TClaims>>;
}

/** Maximum length of the claim `sub`, as in OpenID Connect Core, section 2. */
const longestSubject = 255;

/** Values of `typ` that a token may have by default, in lower case and without the prefix `application/`. */
const defaultTypes: ReadonlySet<string | undefined> = new Set([undefined, "jwt", "at+jwt"]);

/**
 * Creates a function that verifies tokens: the signature, issuer, audience, times and type. Tokens must have the claims
 * `exp` and `sub`.
 *
 * @param options - Issuer, audience and keys, and options with defaults.
 * @example
 * ```ts
 * const verifier = createJwtVerifier({ issuer: "https://id.example", audience: "shop", keys: secret });
 * const { subject } = await verifier.verify(token);
 * ```
 * @throws {TypeError} If an option is unknown or invalid, such as a secret that is too short.
 * @throws {RangeError} If a number is not in its range.
 */
export function createJwtVerifier<const TScope extends string = never, TClaims = JwtClaims>(
  options: JwtOptions<TScope, TClaims>,
): JwtVerifier<TScope, TClaims> {
  return new Verifier(options);
}

class Verifier<TScope extends string, TClaims> implements JwtVerifier<TScope, TClaims> {
  readonly #rules: JWTVerifyOptions;
  readonly #keys: KeySource;
  readonly #vocabulary: ReadonlySet<TScope>;
  readonly #scopesOf: (claims: JwtClaims) => readonly string[];
  readonly #claims: Validator<TClaims> | undefined;
  readonly #type: string | undefined;
  readonly #maxTokenLength: number;

  constructor(options: JwtOptions<TScope, TClaims>) {
    refuseUnknown("jwt", options, knownOptions);
    const algorithms = readAlgorithms(options);
    this.#keys = keySource(options, algorithms);
    this.#rules = {
      algorithms: [...algorithms],
      issuer: names("issuer", options.issuer),
      audience: names("audience", options.audience),
      requiredClaims: ["exp", "sub"],
      clockTolerance:
        integerOption("jwt: clockToleranceMs", options.clockToleranceMs, 5000, [0, 300_000]) / 1000,
    };
    this.#vocabulary = vocabularyOf("jwt: `scopes`", options.scopes);
    this.#scopesOf = options.scopesOf ?? scopesOf;
    this.#claims = options.claims;
    this.#type = options.type === undefined ? undefined : mediaType(options.type);
    this.#maxTokenLength = integerOption("jwt: maxTokenLength", options.maxTokenLength, 8192, [64, 65_536]);
  }

  async verify(token: string, log?: Logger): Promise<JwtAuth<TScope, TClaims>> {
    if (token.length > this.#maxTokenLength) {
      throw new InvalidTokenError(`The token has more than ${this.#maxTokenLength} characters`);
    }
    if (!isCompact(token)) throw new InvalidTokenError("A token must have three parts in base64url");
    const { payload } = await this.#verified(token, log);
    const { sub } = payload;
    if (typeof sub !== "string" || sub === "" || sub.length > longestSubject || !sub.isWellFormed()) {
      throw new InvalidTokenError(`The claim \`sub\` must have 1 to ${longestSubject} characters`);
    }
    const granted = new GrantedScopes(this.#scopesOf(payload), this.#vocabulary);
    return {
      subject: sub,
      claims: this.#decoded(payload),
      scopes: granted.scopes,
      has: granted.has,
    };
  }

  async #verified(token: string, log: Logger | undefined): Promise<JWTVerifyResult> {
    let candidates: Candidates = [];
    try {
      // The first key is returned to `jwtVerify`, which parses the header and checks the algorithm before.
      return await jwtVerify(
        token,
        async (header: CompactJWSHeaderParameters, input: FlattenedJWSInput) => {
          this.#checkType(header.typ);
          candidates = await this.#keys.find(header, input, log);
          const [first] = candidates;
          if (first === undefined) throw new InvalidTokenError("No key fits the token");
          return first;
        },
        this.#rules,
      );
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw invalid(error);
      return await this.#verifiedByOthers(token, candidates.slice(1), error);
    }
  }

  /** Tries the remaining keys, if several fit a token. */
  async #verifiedByOthers(token: string, keys: Candidates, failure: Error): Promise<JWTVerifyResult> {
    for (const key of keys) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- a later key is needed only if the earlier ones do not fit
        return await jwtVerify(token, key, this.#rules);
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw invalid(error);
      }
    }
    throw invalid(failure);
  }

  #checkType(typ: unknown): void {
    const given = typeof typ === "string" ? mediaType(typ) : undefined;
    if (this.#type === undefined ? defaultTypes.has(given) : given === this.#type) return;
    throw new InvalidTokenError("The header `typ` is not that of an access token");
  }

  #decoded(payload: JwtClaims): TClaims {
    const validator = this.#claims;
    if (validator === undefined) return payload as TClaims;
    if (validator.is(payload)) return validator.decode(payload);
    const paths = validator.failures(payload, 5).map(({ path, rule }) => `${path} (${rule})`);
    throw new InvalidTokenError(`Claims break the rules of ${validator.name}: ${paths.join(", ")}`);
  }
}

/**
 * Returns true if a token has three parts in base64url (RFC 7515, section 7.1) and each part has its only spelling, so
 * that two different texts are never the same token. `jose` also accepts blanks, padding and unused bits.
 */
function isCompact(token: string): boolean {
  const parts = token.split(".", 4);
  return (
    parts.length === 3 && parts.every((part) => Buffer.from(part, "base64url").toString("base64url") === part)
  );
}

/** Returns an error for a token that `jose` refuses. Other errors, such as those of the key source, are returned unchanged. */
function invalid(error: unknown): unknown {
  return error instanceof errors.JOSEError
    ? new InvalidTokenError(`The token is not valid (${error.code})`, { cause: error })
    : error;
}

/** Returns a media type in lower case and without the prefix `application/` (RFC 7515, section 4.1.9). */
function mediaType(typ: string): string {
  const lower = typ.toLowerCase();
  return lower.startsWith("application/") ? lower.slice("application/".length) : lower;
}

/** Returns the scopes of the claim `scope` or `scp`. */
function scopesOf({ scope, scp }: JwtClaims): readonly string[] {
  const value = scope ?? scp;
  if (typeof value === "string") return value.split(" ");
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function names(option: "issuer" | "audience", value: string | readonly string[]): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > 0 && list.every((name) => typeof name === "string" && name !== "")) {
    return list as string[];
  }
  throw new TypeError(
    `jwt: \`${option}\` must be a name or a list of names, so that tokens for other applications are refused`,
  );
}

function readAlgorithms({ keys, algorithms }: JwtOptions<string, unknown>): readonly string[] {
  const isOfSecret = [keys].flat().every(isSecret);
  const allowed = isOfSecret ? Object.keys(secretBytes) : publicAlgorithms;
  const list = algorithms ?? (isOfSecret ? ["HS256"] : publicAlgorithms);
  const wrong = list.find((algorithm) => !allowed.includes(algorithm));
  if (list.length > 0 && wrong === undefined) return list;
  throw new TypeError(
    `jwt: \`algorithms\` may contain only ${allowed.join(", ")}, because the keys are ${isOfSecret ? "secrets" : "public keys"}, not ${wrong ?? "an empty list"}`,
  );
}

function keySource(
  { keys, keyCache }: JwtOptions<string, unknown>,
  algorithms: readonly string[],
): KeySource {
  if (keys instanceof URL) return new RemoteKeys("jwt", keys, keyCache);
  if (keyCache !== undefined) throw new TypeError("jwt: `keyCache` needs a URL as `keys`");
  if (isKeySet(keys)) {
    try {
      return new KeySet(readKeySet(keys));
    } catch (error) {
      throw new TypeError(`jwt: \`keys\`: ${(error as Error).message}`, { cause: error });
    }
  }
  const list = [keys].flat() as readonly JwtKey[];
  checkKeys("jwt", list, algorithms);
  return new GivenKeys(list);
}

function isKeySet(keys: unknown): keys is JSONWebKeySet {
  return (
    typeof keys === "object" &&
    keys !== null &&
    !Array.isArray(keys) &&
    !(keys instanceof KeyObject) &&
    !(keys instanceof Uint8Array)
  );
}
