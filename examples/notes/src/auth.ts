import { defineMiddleware } from "@kit/core";
import { UnauthorizedError } from "@kit/errors";

/** Values that {@link requireAuth} adds to the context. */
export interface AuthContext {
  userId: string;
  userRole: "user" | "admin";
}

const SCHEME = "Bearer ";

/**
 * Accepts requests with the header `authorization: Bearer <user id>:<role>`.
 *
 * The token is a placeholder that anyone can make up. A real application verifies a signed token here; nothing else changes.
 *
 * @security bearer
 * @throws UNAUTHORIZED 401 The access token is missing.
 * @throws INVALID_TOKEN 401 The access token names no user.
 */
export const requireAuth = defineMiddleware<AuthContext>(({ headers }) => {
  const header = headers["authorization"];
  if (header === undefined || !header.startsWith(SCHEME)) {
    throw new UnauthorizedError("UNAUTHORIZED", "Missing or invalid authorization header");
  }
  const [userId = "", role] = header.slice(SCHEME.length).split(":");
  if (userId === "") {
    throw new UnauthorizedError("INVALID_TOKEN", "The access token names no user");
  }
  return { userId, userRole: role === "admin" ? "admin" : "user" };
});
