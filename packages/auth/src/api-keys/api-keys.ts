import { timingSafeEqual } from "node:crypto";

import { type BaseContext, defineMiddleware, type Middleware } from "@kit/core";
import type { Auth } from "@kit/types";

import { refuseUnknown } from "../check-options.ts";
import { refuse } from "../refusals.ts";
import { GrantedScopes, vocabularyOf } from "../scopes.ts";
import { checkPrefix, hashApiKey, idOfApiKey } from "./api-key.ts";

/** API key as the application stores it. Further properties are passed on as `ctx.auth.key`. */
export interface StoredApiKey {
  /** Hash of the key, from {@link createApiKey}. */
  readonly hash: string;
  /** Id of the owner. */
  readonly subject: string;
  /** Scopes of the key. Default: none. */
  readonly scopes?: readonly string[] | null;
  /** Time at which the key ends. Default: never. */
  readonly expiresAt?: Date | null;
}

/** Caller of a request with a valid API key. */
export interface ApiKeyAuth<
  TScope extends string = never,
  TKey extends StoredApiKey = StoredApiKey,
> extends Auth<TScope> {
  /** Id of the owner of the key. */
  readonly subject: string;
  /** Scopes of the key that the middleware knows. */
  readonly scopes: readonly TScope[];
  /** Stored key, as the option `find` returned it. */
  readonly key: TKey;
}

/** Options of {@link apiKeys}. */
export interface ApiKeyOptions<TScope extends string = never, TKey extends StoredApiKey = StoredApiKey> {
  /** Prefix of the keys, as for `createApiKey`. */
  readonly prefix: string;
  /** Finds a stored key by its id. Resolves to `null` or `undefined` if there is none. */
  readonly find: (id: string, ctx: BaseContext) => TKey | null | undefined | Promise<TKey | null | undefined>;
  /** Name of the request header with the key. Default `x-api-key`. */
  readonly header?: string;
  /** Scopes that contracts of this application may require. Other scopes of a key are ignored. Default: none. */
  readonly scopes?: readonly TScope[];
}

const knownOptions: Readonly<Record<keyof ApiKeyOptions, true>> = {
  prefix: true,
  find: true,
  header: true,
  scopes: true,
};

/** Hash that no key has. Comparing with it makes an unknown id take as long as a wrong secret. */
const noHash = Buffer.alloc(32);

/**
 * Creates middleware that accepts only requests with a valid API key, and adds the owner of the key as `ctx.auth`.
 *
 * @param options - Prefix of the keys and the function that finds a stored key, and options with defaults.
 * @security header {header=x-api-key}
 * @throws UNAUTHORIZED 401 The request has no API key.
 * @throws INVALID_API_KEY 401 The API key does not exist, or has ended.
 * @example
 * ```ts
 * export const requireKey = apiKeys({
 *   prefix: "shop",
 *   scopes: ["orders:read"],
 *   find: (id) => db.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst(),
 * });
 * ```
 * @throws {TypeError} If an option is unknown or invalid.
 */
export function apiKeys<const TScope extends string = never, TKey extends StoredApiKey = StoredApiKey>(
  options: ApiKeyOptions<TScope, TKey>,
): Middleware<{ auth: ApiKeyAuth<TScope, TKey> }> {
  refuseUnknown("apiKeys", options, knownOptions);
  const { prefix, find } = options;
  checkPrefix("apiKeys", prefix);
  if (typeof find !== "function") throw new TypeError("apiKeys: `find` must be a function");
  const header = readHeader(options.header);
  const vocabulary = vocabularyOf("apiKeys: `scopes`", options.scopes);
  return defineMiddleware<{ auth: ApiKeyAuth<TScope, TKey> }>(async ({ headers, ctx }) => {
    const key = headers[header];
    if (key === undefined) return refuse(ctx, challenge, "UNAUTHORIZED", `Missing header ${header}`);
    const id = idOfApiKey(prefix, key);
    const stored = id === undefined ? undefined : await find(id, ctx);
    if (!isHashOf(stored?.hash, key) || !stored || hasEnded(stored)) {
      return refuse(ctx, challenge, "INVALID_API_KEY", "The API key is not valid");
    }
    const { scopes, has } = new GrantedScopes(stored.scopes ?? [], vocabulary);
    return { auth: { subject: stored.subject, scopes, has, key: stored } };
  });
}

/** Challenge of a 401 response. No registered scheme describes a key in a header of its own. */
const challenge = "ApiKey";

function readHeader(name = "x-api-key"): string {
  // `authorization` has schemes, and `cookie` is sent by browsers without a decision of the page.
  const isHeader = /^[a-z0-9-]{1,50}$/i.test(name);
  const lower = name.toLowerCase();
  if (isHeader && lower !== "authorization" && lower !== "cookie") return lower;
  throw new TypeError(
    `apiKeys: \`header\` must be a header name other than authorization and cookie, such as x-api-key, not ${JSON.stringify(name)}`,
  );
}

function isHashOf(stored: string | undefined, key: string): boolean {
  const expected = stored === undefined ? noHash : Buffer.from(stored, "base64url");
  const actual = Buffer.from(hashApiKey(key), "base64url");
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function hasEnded({ expiresAt }: StoredApiKey): boolean {
  if (expiresAt === undefined || expiresAt === null) return false;
  // An invalid date counts as a key that has ended.
  return !(expiresAt.getTime() > Date.now());
}
