/**
 * Login at an identity provider by OpenID Connect: authorization code with PKCE, state and nonce.
 *
 * @module
 */
export { createOidc, type Oidc, type OidcLogout, type OidcOptions, type OidcStart } from "./oidc.ts";
export type { OidcCallback, OidcClaims, OidcLogin, OidcTokens } from "./oidc-tokens.ts";
