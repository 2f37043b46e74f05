import { SignJWT } from "jose";
import { AUDIENCE, DEVELOPMENT_KEY, ISSUER } from "../src/auth-key.ts";

/**
 * Returns an access token of any user, which expires after a day. It is signed with the development key, so an application accepts it only if `NODE_ENV` is
 * `development` or `test` and `AUTH_SECRET` is not set.
 */
export function developmentToken(user: string, role: "user" | "admin" = "user"): Promise<string> {
  return new SignJWT({ role })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(user)
    .setExpirationTime("1 day")
    .sign(DEVELOPMENT_KEY);
}

// `npm run --silent token ada` prints a token of ada.
if (import.meta.main) {
  const [user, role] = process.argv.slice(2);
  if (user === undefined || (role !== undefined && role !== "user" && role !== "admin")) {
    console.error("usage: npm run --silent token <user id> [user|admin]");
    process.exitCode = 1;
  } else {
    console.log(await developmentToken(user, role));
  }
}
