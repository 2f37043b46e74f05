import { defineMiddleware } from "@kit/core";
import { UnauthorizedError } from "@kit/errors";
import { errors, jwtVerify, type JWTPayload } from "jose";
import { AUDIENCE, authKey, ISSUER } from "./auth-key.ts";

/** Properties that {@link requireAuth} adds to the context. */
export interface AuthContext {
  userId: string;
  userRole: "user" | "admin";
}

const SCHEME = "Bearer ";

/** Maximum length of a user's id, as in `Todo.userId`. */
const USER_ID_LENGTH = 100;

const key = authKey();

/**
 * Accepts a request with `authorization: Bearer <token>`, a signed JSON Web Token (RFC 7519) whose `sub` is the id of the user.
 * For tokens of another issuer, change only `claimsOf`: `jwtVerify` also accepts `createRemoteJWKSet(url)` as the key.
 *
 * @security bearer JWT
 * @throws UNAUTHORIZED 401 The access token is missing.
 * @throws INVALID_TOKEN 401 The access token is forged, expired, not for this application, or names no user.
 */
export const requireAuth = defineMiddleware<AuthContext>(async ({ headers }) => {
  const header = headers["authorization"];
  if (header === undefined || !header.startsWith(SCHEME)) {
    throw new UnauthorizedError("UNAUTHORIZED", "Missing or invalid authorization header");
  }
  const { sub: userId = "", role } = await claimsOf(header.slice(SCHEME.length));
  if (userId === "" || [...userId].length > USER_ID_LENGTH) {
    throw new UnauthorizedError("INVALID_TOKEN", "The access token names no user");
  }
  return { userId, userRole: role === "admin" ? "admin" : "user" };
});

/** Verifies a token: its signature by one algorithm, issuer, audience, and that it has not expired. */
async function claimsOf(token: string): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["HS256"],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ["exp", "sub"],
    });
    return payload;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw new UnauthorizedError("INVALID_TOKEN", "The access token is not valid");
  }
}
