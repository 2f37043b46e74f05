import type { IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from "openid-client";

/** Query with which the provider sends the browser back. Use it as the query of the callback's contract. */
export interface OidcCallback {
  /** @maxLength 4096 */
  code?: string;
  /** @maxLength 512 */
  state?: string;
  /** @maxLength 2048 */
  iss?: string;
  /** @maxLength 200 */
  error?: string;
  /** @maxLength 2000 */
  error_description?: string;
  /** @maxLength 2000 */
  error_uri?: string;
  /** @maxLength 2048 */
  session_state?: string;
  /** @maxLength 2000 */
  scope?: string;
}

/** Claims of an ID token (OpenID Connect Core, section 2). */
export type OidcClaims = IDToken;

/** Tokens of a user. Keep them on the server, such as in the data of a session. */
export interface OidcTokens {
  readonly accessToken: string;
  /** ID token, for {@link Oidc.logoutUrl}. Absent if a refresh gave none. */
  readonly idToken: string | undefined;
  readonly refreshToken: string | undefined;
  /** Time at which the access token expires. Absent if the provider sent no time. */
  readonly expiresAt: Date | undefined;
}

/** Result of a login. */
export interface OidcLogin extends OidcTokens {
  /** Claim `sub`: the id of the user at the provider. */
  readonly subject: string;
  readonly claims: OidcClaims;
  /** Path to which the application sends the browser, from {@link OidcStart}. */
  readonly returnTo: string;
}

/** Returns the tokens of a response. */
export function readTokens(response: TokenEndpointResponse & TokenEndpointResponseHelpers): OidcTokens {
  const seconds = response.expiresIn();
  return {
    accessToken: response.access_token,
    idToken: response.id_token,
    refreshToken: response.refresh_token,
    expiresAt: seconds === undefined ? undefined : new Date(Date.now() + seconds * 1000),
  };
}
