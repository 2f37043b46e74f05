import { KeyObject } from "node:crypto";

import type { Auth, Logger, Validator } from "@kit/types";
import {
  type CompactJWSHeaderParameters,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyOptions,
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
import { VerifiedTokens } from "./verified-tokens.ts";

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

type Key = Candidates[number];

class Verifier<TScope extends string, TClaims> implements JwtVerifier<TScope, TClaims> {
  readonly #rules: JWTVerifyOptions;
  readonly #clockToleranceMs: number;
  readonly #keys: KeySource;
  readonly #vocabulary: ReadonlySet<TScope>;
  readonly #scopesOf: (claims: JwtClaims) => readonly string[];
  readonly #claims: Validator<TClaims> | undefined;
  readonly #type: string | undefined;
  readonly #maxTokenLength: number;
  readonly #verifiedTokens: VerifiedTokens;

  constructor(options: JwtOptions<TScope, TClaims>) {
    refuseUnknown("jwt", options, knownOptions);
    const algorithms = readAlgorithms(options);
    this.#keys = keySource(options, algorithms);
    this.#clockToleranceMs = integerOption(
      "jwt: clockToleranceMs",
      options.clockToleranceMs,
      5000,
      [0, 300_000],
    );
    this.#rules = {
      algorithms: [...algorithms],
      issuer: names("issuer", options.issuer),
      audience: names("audience", options.audience),
      requiredClaims: ["exp", "sub"],
      clockTolerance: this.#clockToleranceMs / 1000,
    };
    this.#vocabulary = vocabularyOf("jwt: `scopes`", options.scopes);
    this.#scopesOf = options.scopesOf ?? scopesOf;
    this.#claims = options.claims;
    this.#type = options.type === undefined ? undefined : mediaType(options.type);
    this.#maxTokenLength = integerOption("jwt: maxTokenLength", options.maxTokenLength, 8192, [64, 65_536]);
    this.#verifiedTokens = new VerifiedTokens(
      integerOption("jwt: cachedTokens", options.cachedTokens, 1000, [0, 1_000_000]),
    );
  }

  async verify(token: string, log?: Logger): Promise<JwtAuth<TScope, TClaims>> {
    if (token.length > this.#maxTokenLength) {
      throw new InvalidTokenError(`The token has more than ${this.#maxTokenLength} characters`);
    }
    const payload = (await this.#verifiedBefore(token, log)) ?? (await this.#verified(token, log));
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

  /**
   * Resolves to the claims of a token that was verified before, if its key is still in use and its time has not ended. The
   * keys are looked up as for a new token, so that keys at a URL are fetched again, and tokens of removed keys are refused.
   */
  async #verifiedBefore(token: string, log: Logger | undefined): Promise<JwtClaims | undefined> {
    const known = this.#verifiedTokens.get(token);
    if (known === undefined) return undefined;
    const candidates = await this.#keys.find(known.header, known.input, log);
    const claims = JSON.parse(known.claims) as JwtClaims;
    if (candidates.includes(known.key) && this.#isCurrent(claims)) return claims;
    // The complete verification then decides, and has the reason for a refusal.
    this.#verifiedTokens.delete(token);
    return undefined;
  }

  /** Returns true if `jwtVerify` accepts the times of a token. */
  #isCurrent({ exp = 0, nbf = 0 }: JwtClaims): boolean {
    const now = Math.floor(Date.now() / 1000);
    const tolerance = this.#clockToleranceMs / 1000;
    return exp > now - tolerance && nbf <= now + tolerance;
  }

  async #verified(token: string, log: Logger | undefined): Promise<JwtClaims> {
    if (!isCompact(token)) throw new InvalidTokenError("A token must have three parts in base64url");
    let candidates: Candidates = [];
    let given: { readonly header: CompactJWSHeaderParameters; readonly input: FlattenedJWSInput } | undefined;
    // `jwtVerify` parses the header and checks the algorithm before it asks for the first key.
    const first = async (header: CompactJWSHeaderParameters, input: FlattenedJWSInput): Promise<Key> => {
      this.#checkType(header.typ);
      given = { header, input };
      candidates = await this.#keys.find(header, input, log);
      const [key] = candidates;
      if (key === undefined) throw new InvalidTokenError("No key fits the token");
      return key;
    };
    let failure: unknown;
    for (let index = 0; index === 0 || index < candidates.length; index += 1) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- a later key is needed only if the earlier ones do not fit
        const { payload } = await jwtVerify(
          token,
          index === 0 ? first : () => candidates[index]!,
          this.#rules,
        );
        const key = candidates[index]!;
        this.#verifiedTokens.add(token, { ...given!, key, claims: JSON.stringify(payload) });
        return payload;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw invalid(error);
        failure ??= error;
      }
    }
    throw invalid(failure);
  }

  #checkType(typ: unknown): void {
    const given = typeof typ === "string" ? mediaType(typ) : undefined;
    if (this.#type === undefined ? defaultTypes.has(given) : given === this.#type) return;
    throw new InvalidTokenError("The header `typ` has another value than access tokens have");
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
