import { type BaseContext, defineMiddleware, type Middleware, type MiddlewareInput } from "@kit/core";

import { quoted, reached, refuse } from "../refusals.ts";
import type { JwtClaims, JwtOptions } from "./jwt-options.ts";
import { createJwtVerifier, InvalidTokenError, type JwtAuth } from "./jwt-verifier.ts";

/**
 * Creates middleware that accepts only requests with `authorization: Bearer <token>`, a signed JSON Web Token (RFC 7519,
 * RFC 6750), and adds its caller as `ctx.auth`.
 *
 * @param options - Issuer, audience and keys, and options with defaults.
 * @security bearer JWT
 * @throws UNAUTHORIZED 401 The request has no token.
 * @throws INVALID_TOKEN 401 The token is forged, expired, or not for this application.
 * @throws SERVICE_UNAVAILABLE 503 The keys that verify tokens cannot be fetched.
 * @example
 * ```ts
 * export const requireAuth = jwt({
 *   issuer: "https://id.example/",
 *   audience: "https://api.example/",
 *   keys: new URL("https://id.example/.well-known/jwks.json"),
 *   scopes: ["orders:read", "orders:write"],
 * });
 * ```
 * @throws {TypeError} If an option is unknown or invalid, such as a secret that is too short.
 * @throws {RangeError} If a number is not in its range.
 */
export function jwt<const TScope extends string = never, TClaims = JwtClaims>(
  options: JwtOptions<TScope, TClaims>,
): Middleware<{ auth: JwtAuth<TScope, TClaims> }> {
  const read = reader(options);
  return defineMiddleware<{ auth: JwtAuth<TScope, TClaims> }>(async (input) => ({
    auth: (await read(input)) ?? read.refuseMissing(input.ctx),
  }));
}

/**
 * Creates middleware like {@link jwt} that also accepts requests without the header `authorization`. Then `ctx.auth` is
 * `null`.
 *
 * @param options - Issuer, audience and keys, and options with defaults.
 * @throws UNAUTHORIZED 401 The header `authorization` has another scheme.
 * @throws INVALID_TOKEN 401 The token is forged, expired, or not for this application.
 * @throws SERVICE_UNAVAILABLE 503 The keys that verify tokens cannot be fetched.
 * @example
 * ```ts
 * export const readCaller = optionalJwt({ issuer: "https://id.example", audience: "shop", keys: secret });
 * ```
 * @throws {TypeError} If an option is unknown or invalid, such as a secret that is too short.
 * @throws {RangeError} If a number is not in its range.
 */
export function optionalJwt<const TScope extends string = never, TClaims = JwtClaims>(
  options: JwtOptions<TScope, TClaims>,
): Middleware<{ auth: JwtAuth<TScope, TClaims> | null }> {
  const read = reader(options);
  return defineMiddleware<{ auth: JwtAuth<TScope, TClaims> | null }>(async (input) => ({
    auth: await read(input),
  }));
}

/** Form of a scheme and a token in a header (`token68` of RFC 9110, section 11.2). */
const credentials = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) +([A-Za-z0-9._~+/-]+=*)$/;

const schemeForm = /^[A-Za-z][A-Za-z0-9-]*$/;

/**
 * Returns the schemes of an option after a check.
 *
 * @throws {TypeError} If a name is not valid, or if there is none.
 */
function readSchemes(schemes: readonly string[] = ["Bearer"]): readonly [string, ...string[]] {
  const [first, ...others] = schemes;
  if (first !== undefined && schemes.every((name) => schemeForm.test(name))) return [first, ...others];
  throw new TypeError(
    `jwt: \`schemes\` must be a list of names such as Bearer, not ${JSON.stringify(schemes)}`,
  );
}

interface Reader<TScope extends string, TClaims> {
  /** Resolves to the caller, or to `null` if the request has no header `authorization`. */
  (input: MiddlewareInput): Promise<JwtAuth<TScope, TClaims> | null>;
  /** Answers 401, because the request has no token. */
  refuseMissing(ctx: BaseContext): never;
}

function reader<TScope extends string, TClaims>(
  options: JwtOptions<TScope, TClaims>,
): Reader<TScope, TClaims> {
  const verifier = createJwtVerifier(options);
  const schemes = readSchemes(options.schemes);
  const accepted = new Set(schemes.map((name) => name.toLowerCase()));
  const area = options.realm === undefined ? "" : ` realm=${quoted(options.realm, "jwt: realm")}`;
  const missing = `${schemes[0]}${area}`;
  const refused = `${missing}${area && ","} error="invalid_token", error_description="The access token is not valid"`;
  const refuseMissing = (ctx: BaseContext): never =>
    refuse(ctx, missing, "UNAUTHORIZED", "Missing or invalid authorization header");
  const read = async ({ headers, ctx }: MiddlewareInput): Promise<JwtAuth<TScope, TClaims> | null> => {
    const header = headers["authorization"];
    if (header === undefined) return null;
    const [, scheme = "", token = ""] = credentials.exec(header) ?? [];
    if (!accepted.has(scheme.toLowerCase())) return refuseMissing(ctx);
    try {
      return await reached(ctx, verifier.verify(token, ctx.log));
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      ctx.log.debug("An access token was refused", { reason: error.message });
      return refuse(ctx, refused, "INVALID_TOKEN", "The access token is not valid");
    }
  };
  return Object.assign(read, { refuseMissing });
}
