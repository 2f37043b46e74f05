import type { BaseContext } from "@kit/core";
import { UnauthorizedError, ValidationError } from "@kit/errors";
import * as client from "openid-client";

import { integerOption, refuseUnknown } from "../check-options.ts";
import { createJwtVerifier, InvalidTokenError, type JwtAuth, type JwtVerifier } from "../jwt/jwt-verifier.ts";
import { AuthServiceError, reached } from "../refusals.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { errorOf } from "./oidc-errors.ts";
import { type OidcCallback, type OidcLogin, type OidcTokens, readTokens } from "./oidc-tokens.ts";
import { checkReturnPath } from "./return-path.ts";

/** Options of {@link createOidc}. */
export interface OidcOptions {
  /** Issuer of the provider, such as `https://id.example/`. Its metadata is at `/.well-known/openid-configuration`. */
  readonly issuer: string;
  /** Id of this application at the provider. */
  readonly clientId: string;
  /** Secret of this application at the provider. Default: none, for a public client. */
  readonly clientSecret?: string;
  /** URL of the callback route, as it is registered at the provider. */
  readonly redirectUri: string;
  /** Scopes of the login, with blanks between them. Default `openid`. */
  readonly scope?: string;
  /** Name of the cookie that remembers a login in progress. Default `__Host-login`. */
  readonly cookie?: string;
  /** Longest time of a login in milliseconds. Default 600,000 (10 minutes). */
  readonly loginMs?: number;
  /** Accepted difference between the clocks of provider and application, in milliseconds. Default 5,000. */
  readonly clockToleranceMs?: number;
  /** Longest time of one request to the provider in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}

const knownOptions: Readonly<Record<keyof OidcOptions, true>> = {
  issuer: true,
  clientId: true,
  clientSecret: true,
  redirectUri: true,
  scope: true,
  cookie: true,
  loginMs: true,
  clockToleranceMs: true,
  timeoutMs: true,
};

/** Options of {@link Oidc.start}. */
export interface OidcStart {
  /** Path of this application to return to after the login. Default `/`. */
  readonly returnTo?: string;
  /** Further parameters of the request, such as `prompt` or `login_hint`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Logins at a provider. The functions are called in handlers. */
export interface Oidc {
  /**
   * Begins a login: sets the cookie, and resolves to the URL of the provider to redirect the browser to. A second login in
   * the same browser replaces the first.
   *
   * @throws {ValidationError} `INVALID_RETURN_PATH`, if `returnTo` leads to another origin.
   */
  start(ctx: BaseContext, options?: OidcStart): Promise<string>;
  /**
   * Ends a login in the callback route: verifies the response of the provider, and resolves to the user and the tokens.
   *
   * @throws {ValidationError} `LOGIN_EXPIRED`, if this browser has begun no login, or too long ago.
   * @throws {UnauthorizedError} `LOGIN_REFUSED`, if the provider refuses the user, or its response is not valid.
   */
  finish(ctx: BaseContext, query: OidcCallback): Promise<OidcLogin>;
  /**
   * Resolves to new tokens. A provider may replace the refresh token too, so store the result.
   *
   * @throws {UnauthorizedError} `LOGIN_REFUSED`, if the refresh token has ended, or belongs to another user.
   */
  refresh(ctx: BaseContext, refreshToken: string, subject: string): Promise<OidcTokens>;
  /**
   * Resolves to the URL at which the browser logs out at the provider, or to `null` if the provider has none. End the own
   * session first.
   */
  logoutUrl(ctx: BaseContext, idToken: string, returnTo: string): Promise<string | null>;
  /**
   * Verifies the logout token that the provider sends to this application when a user logs out elsewhere (OpenID Connect
   * Back-Channel Logout 1.0). End the sessions of the subject then. A token without the claim `sub` is refused.
   *
   * @throws {ValidationError} `LOGOUT_REFUSED`, if the token is not valid.
   */
  verifyLogout(ctx: BaseContext, logoutToken: string): Promise<OidcLogout>;
}

/** Result of {@link Oidc.verifyLogout}. */
export interface OidcLogout {
  /** Claim `sub`: the id of the user at the provider. */
  readonly subject: string;
  /** Claim `sid`: the id of the session at the provider. `undefined` if the provider sends none. */
  readonly sessionId: string | undefined;
}

/** Login in progress, as the cookie keeps it. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  /** Time at which the login ends, in milliseconds since 1970. */
  readonly until: number;
}

const setByKit = "kit sets this parameter";

/** Parameters of the request that the application cannot set, with the reasons. */
const reserved: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  client_id: setByKit,
  response_type: setByKit,
  redirect_uri: setByKit,
  scope: "set the option `scope` of createOidc",
  state: setByKit,
  nonce: setByKit,
  code_challenge: setByKit,
  code_challenge_method: setByKit,
  max_age: "kit does not verify the claim `auth_time`; use `prompt=login`",
};

/**
 * Creates the login at an identity provider by OpenID Connect: the authorization code flow with PKCE, `state` and `nonce`.
 * The metadata of the provider is fetched at the first login. The application needs the option `cookies.keys` of
 * `createApp`.
 *
 * @param options - Provider and client, and options with defaults.
 * @example
 * ```ts
 * export const oidc = createOidc({
 *   issuer: "https://id.example/",
 *   clientId: "shop",
 *   clientSecret: env.OIDC_SECRET,
 *   redirectUri: "https://shop.example/callback",
 * });
 * ```
 * @throws {TypeError} If an option is unknown or invalid.
 * @throws {RangeError} If a time is not in its range.
 */
export function createOidc(options: OidcOptions): Oidc {
  refuseUnknown("createOidc", options, knownOptions);
  const { clientId, clientSecret, scope = "openid", cookie = "__Host-login" } = options;
  const issuer = secureUrl("issuer", options.issuer);
  const redirectUri = secureUrl("redirectUri", options.redirectUri);
  if (typeof clientId !== "string" || clientId === "") {
    throw new TypeError("createOidc: `clientId` must be the id of this application at the provider");
  }
  if (!scope.split(" ").includes("openid")) throw new TypeError("createOidc: `scope` must have openid");
  if (!cookie.startsWith("__Host-")) throw new TypeError("createOidc: `cookie` must begin with __Host-");
  const loginMs = integerOption("createOidc: loginMs", options.loginMs, 600_000, [10_000, 3_600_000]);
  const tolerance = integerOption(
    "createOidc: clockToleranceMs",
    options.clockToleranceMs,
    5000,
    [0, 300_000],
  );
  const timeoutMs = integerOption("createOidc: timeoutMs", options.timeoutMs, 5000, [100, 60_000]);
  const provider = new Provider(async () => {
    const secret = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret);
    const execute = issuer.protocol === "http:" ? [client.allowInsecureRequests] : [];
    const metadata = { [client.clockTolerance]: Math.ceil(tolerance / 1000) };
    const found = await client.discovery(issuer, clientId, metadata, secret, {
      execute,
      timeout: timeoutMs / 1000,
      [client.customFetch]: boundedFetch,
    });
    found[client.customFetch] = boundedFetch;
    const { issuer: name, jwks_uri: keys } = found.serverMetadata();
    if (keys === undefined) throw new Error("The metadata of the identity provider has no jwks_uri");
    // `openid-client` would wait up to a minute before it fetches a new key. The tokens come from the provider itself, so
    // nobody can provoke fetches.
    const keyCache = { cooldownMs: 1000, timeoutMs };
    const tokens = {
      issuer: name,
      audience: clientId,
      keys: new URL(keys),
      keyCache,
      clockToleranceMs: tolerance,
    };
    const logoutVerifier = createJwtVerifier({ ...tokens, type: "logout+jwt" });
    return { configuration: found, verifier: createJwtVerifier(tokens), logoutVerifier };
  });

  const start = async (ctx: BaseContext, { returnTo = "/", parameters = {} }: OidcStart): Promise<string> => {
    const pending: Pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      returnTo: checkReturnPath(returnTo),
      until: Date.now() + loginMs,
    };
    for (const name of Object.keys(parameters)) {
      const reason = reserved[name];
      if (reason !== undefined)
        throw new TypeError(`Oidc.start: remove the parameter \`${name}\`: ${reason}`);
    }
    const { configuration } = await provider.get();
    const url = client.buildAuthorizationUrl(configuration, {
      ...parameters,
      redirect_uri: redirectUri.href,
      scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: "S256",
    });
    const maxAge = Math.ceil(loginMs / 1000);
    ctx.cookie(cookie, JSON.stringify(pending), { signed: true, maxAge });
    return url.href;
  };
  const finish = async (ctx: BaseContext, query: OidcCallback): Promise<OidcLogin> => {
    const pending = readPending(ctx.signedCookie(cookie));
    ctx.cookie(cookie, null);
    if (pending === undefined) {
      throw new ValidationError("LOGIN_EXPIRED", "There is no login in progress, start again");
    }
    const url = new URL(redirectUri);
    for (const [name, value] of Object.entries(query) as [string, string | undefined][]) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const checks = {
      pkceCodeVerifier: pending.verifier,
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      idTokenExpected: true,
    };
    const { configuration, verifier } = await provider.get();
    const response = await said("The login is not valid, start again", async () => {
      const found = await client.authorizationCodeGrant(configuration, url, checks);
      // The signature is verified too, although the token comes from the provider by TLS.
      checkParty(await verifier.verify(found.id_token!, ctx.log), clientId);
      return found;
    });
    const claims = response.claims()!;
    return { ...readTokens(response), subject: claims.sub, claims, returnTo: pending.returnTo };
  };
  const refresh = async (ctx: BaseContext, refreshToken: string, subject: string): Promise<OidcTokens> => {
    const { configuration, verifier } = await provider.get();
    const response = await said("The login has ended, log in again", async () => {
      const found = await client.refreshTokenGrant(configuration, refreshToken);
      if (found.id_token !== undefined) checkParty(await verifier.verify(found.id_token, ctx.log), clientId);
      return found;
    });
    const found = response.claims()?.sub;
    // OpenID Connect Core, section 12.2.
    if (found !== undefined && found !== subject) {
      throw new UnauthorizedError("LOGIN_REFUSED", "The login has ended, log in again");
    }
    const tokens = readTokens(response);
    // Without a new refresh token, the old one stays valid (RFC 6749, section 6).
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
  };
  const logoutUrl = async (idToken: string, returnTo: string): Promise<string | null> => {
    const { configuration } = await provider.get();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnTo };
    return client.buildEndSessionUrl(configuration, parameters).href;
  };
  const verifyLogout = async (ctx: BaseContext, token: string): Promise<OidcLogout> => {
    const { verifier, logoutVerifier } = await provider.get();
    try {
      return readLogout(
        await logoutVerifier.verify(token, ctx.log).catch((error: unknown) => {
          // Some providers do not give logout tokens the type `logout+jwt`.
          if (error instanceof InvalidTokenError) return verifier.verify(token, ctx.log);
          throw error;
        }),
      );
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      ctx.log.debug("A logout token was refused", { reason: error.message });
      throw new ValidationError("LOGOUT_REFUSED", "The logout token is not valid", undefined, {
        cause: error,
      });
    }
  };
  return {
    start: (ctx, given = {}) => reached(ctx, start(ctx, given)),
    finish: (ctx, query) => reached(ctx, finish(ctx, query)),
    refresh: (ctx, refreshToken, subject) => reached(ctx, refresh(ctx, refreshToken, subject)),
    logoutUrl: (ctx, idToken, returnTo) => reached(ctx, logoutUrl(idToken, returnTo)),
    verifyLogout: (ctx, token) => reached(ctx, verifyLogout(ctx, token)),
  };
}

/** Provider as its metadata describe it. */
interface Discovered {
  readonly configuration: client.Configuration;
  /** Verifies the signatures of ID tokens. */
  readonly verifier: JwtVerifier;
  /** Verifies the signatures of logout tokens. */
  readonly logoutVerifier: JwtVerifier;
}

/** Metadata of the provider. A fetch that failed is tried again at the next login. */
class Provider {
  readonly #discover: () => Promise<Discovered>;
  #found: Promise<Discovered> | undefined;

  constructor(discover: () => Promise<Discovered>) {
    this.#discover = discover;
  }

  get(): Promise<Discovered> {
    this.#found ??= this.#discover().catch((error: unknown) => {
      this.#found = undefined;
      throw new AuthServiceError("The metadata of the identity provider cannot be fetched", 5, {
        cause: error,
      });
    });
    return this.#found;
  }
}

/** Runs a request to the provider, and converts its errors. */
async function said<T>(message: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof AuthServiceError ? error : errorOf(error, message);
  }
}

/**
 * Checks the authorized party of an ID token (OpenID Connect Core, section 3.1.3.7). `openid-client` checks this claim only if
 * the token has several audiences.
 *
 * @throws {InvalidTokenError} If the token was issued to another application.
 */
function checkParty({ claims }: JwtAuth, clientId: string): void {
  const { azp } = claims;
  if (azp !== undefined && azp !== clientId)
    throw new InvalidTokenError("The ID token was issued to another application");
}

/** Event in the claim `events` of a logout token. */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/**
 * Returns the user whom a token logs out. The event distinguishes a logout token from other tokens with the same signature.
 *
 * @throws {InvalidTokenError} If the claims are not those of a logout token (Back-Channel Logout 1.0, section 2.6).
 */
function readLogout({ subject, claims }: JwtAuth): OidcLogout {
  const { events, nonce, sid } = claims as Readonly<Record<string, unknown>>;
  if (nonce !== undefined) throw new InvalidTokenError("A logout token has no claim `nonce`");
  const event =
    isObject(events) && Object.hasOwn(events, logoutEvent) ? (events[logoutEvent] as unknown) : undefined;
  if (!isObject(event)) throw new InvalidTokenError("The claim `events` has no event of a logout token");
  if (sid !== undefined && typeof sid !== "string")
    throw new InvalidTokenError("The claim `sid` must be a string");
  return { subject, sessionId: sid };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readPending(text: string | undefined): Pending | undefined {
  if (text === undefined) return undefined;
  // The signature shows that kit has written the text. It never expires, so the time is in the text.
  const pending = JSON.parse(text) as Pending;
  return Date.now() < pending.until ? pending : undefined;
}

function secureUrl(option: string, value: string): URL {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const isLocal = url?.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url !== undefined && (url.protocol === "https:" || isLocal) && url.search === "" && url.hash === "")
    return url;
  throw new TypeError(
    `createOidc: \`${option}\` must be a URL with https: and without a query; only localhost may be without TLS`,
  );
}
