// Access tokens of generated projects, as whoever signs users in makes them.

import { SignJWT } from "jose";

/** The `AUTH_SECRET` that an application under test is started with. */
export const SECRET = "a secret of a test, which is long enough";

/** Returns a token of a user for the project of that name, which expires in an hour. */
export function accessToken(project: string, user: string): Promise<string> {
  return new SignJWT({ role: "user" })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(project)
    .setAudience(project)
    .setSubject(user)
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(SECRET));
}
