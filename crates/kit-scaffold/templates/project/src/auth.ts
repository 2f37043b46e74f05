import { jwt } from "@kit/auth";
import { defineMiddleware } from "@kit/core";
import { UnauthorizedError } from "@kit/errors";
import { AUDIENCE, authKey, ISSUER } from "./auth-key.ts";

/** Properties that {@link requireAuth} adds to the context. */
export interface AuthContext {
  userId: string;
  userRole: "user" | "admin";
}

/** Maximum length of a user's id, as in `Todo.userId`. */
const USER_ID_LENGTH = 100;

/** Verifies a token: its signature by one algorithm, issuer, audience, and that it has not expired. */
const verifyToken = jwt({ issuer: ISSUER, audience: AUDIENCE, keys: authKey(), algorithms: ["HS256"] });

/**
 * Accepts a request with `authorization: Bearer <token>`, a signed JSON Web Token (RFC 7519) whose `sub` is the id of the user.
 * For tokens of another issuer, change the options of `jwt`: `keys` also accepts the URL of the issuer's keys.
 *
 * @security bearer JWT
 * @throws UNAUTHORIZED 401 The access token is missing.
 * @throws INVALID_TOKEN 401 The access token is forged, expired, not for this application, or names no user.
 */
export const requireAuth = defineMiddleware<AuthContext>(async (input) => {
  const { auth } = await verifyToken(input);
  const { subject: userId, claims } = auth;
  if ([...userId].length > USER_ID_LENGTH) {
    throw new UnauthorizedError("INVALID_TOKEN", "The access token names no user");
  }
  return { userId, userRole: claims["role"] === "admin" ? "admin" : "user" };
});
