import { defineRoles, jwt, type JwtAuth } from "@kit/auth";
import type { Middleware } from "@kit/core";
import { AUDIENCE, authKey, ISSUER } from "./auth-key.ts";

/** Scopes of each role. Contracts name the scopes. A caller without a role may only read. */
const roles = defineRoles({
  member: ["todos:write"],
  manager: ["todos:write", "teams:write", "users:write"],
});

/** Properties that {@link requireAuth} adds to `ctx`. */
export interface Caller {
  auth: JwtAuth<(typeof roles.scopes)[number]>;
}

/** Accepts only requests with an access token: a signed JSON Web Token, whose claim `roles` lists the roles of the caller. */
export const requireAuth: Middleware<Caller> = jwt({
  issuer: ISSUER,
  audience: AUDIENCE,
  keys: authKey(),
  scopes: roles.scopes,
  scopesOf: (claims) => roles.scopesOf(claims["roles"]),
});
