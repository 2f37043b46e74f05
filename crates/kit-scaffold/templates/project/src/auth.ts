import { defineMiddleware } from "@kit/core";
import { UnauthorizedError } from "@kit/errors";

/** What {@link requireAuth} adds to the context. */
export interface AuthContext {
  userId: string;
  userRole: "user" | "admin";
}

const SCHEME = "Bearer ";

/** As `Todo.userId` says: it comes from the token, which no validator sees. */
const USER_ID_LENGTH = 100;

/**
 * Lets a request pass that carries `authorization: Bearer <user id>:<role>`.
 *
 * The token is a stand-in that anyone can make up. Verify a signed token here before others can reach this application;
 * nothing else has to change.
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
  if (userId === "" || [...userId].length > USER_ID_LENGTH) {
    throw new UnauthorizedError("INVALID_TOKEN", "The access token names no user");
  }
  return { userId, userRole: role === "admin" ? "admin" : "user" };
});
