import { type AppError, UnauthorizedError } from "@kit/errors";
import { AuthorizationResponseError, ClientError, ResponseBodyError } from "openid-client";

import { InvalidTokenError } from "../jwt/jwt-verifier.ts";
import { AuthServiceError } from "../refusals.ts";

/** Codes of `openid-client` for a provider that does not answer, or answers with an error page or a part of its answer. */
const outages = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_PARSE_ERROR",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
]);

/** Errors of the token endpoint about the user's code or refresh token, not about the application (RFC 6749, section 5.2). */
const ofUser = new Set(["invalid_grant", "access_denied"]);

/**
 * Returns the error for the client, for an error of `openid-client`: 401 if the provider or kit refuses the user, 503 if
 * the provider cannot be reached. Other errors, such as a wrong client secret, are mistakes of the configuration.
 */
export function errorOf(error: unknown, message: string): unknown {
  if (isOutage(error))
    return new AuthServiceError("The identity provider does not answer", 5, { cause: error });
  if (error instanceof ResponseBodyError) {
    return ofUser.has(error.error) ? refused(message, error) : error;
  }
  // The provider's text comes by the browser, so it is not repeated.
  if (error instanceof AuthorizationResponseError) return refused("The provider refused the login", error);
  return error instanceof ClientError || error instanceof InvalidTokenError ? refused(message, error) : error;
}

function isOutage(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.status >= 500;
  if (error instanceof ClientError) return outages.has(error.code ?? "");
  // `fetch` throws a `TypeError` whose cause is the error of the connection.
  return error instanceof TypeError && error.cause !== undefined;
}

function refused(message: string, cause: unknown): AppError {
  return new UnauthorizedError("LOGIN_REFUSED", message, undefined, { cause });
}
