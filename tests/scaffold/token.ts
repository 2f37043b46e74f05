// Creates access tokens for generated projects, as an identity provider does.

import { SignJWT } from "jose";

/** Value of `AUTH_SECRET` for the tested applications. */
export const SECRET = "a secret of a test, which is long enough";

/** Returns a token of a user for the project of that name. The token expires after an hour. */
export function accessToken(project: string, user: string): Promise<string> {
  return new SignJWT({ role: "user" })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(project)
    .setAudience(project)
    .setSubject(user)
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(SECRET));
}
