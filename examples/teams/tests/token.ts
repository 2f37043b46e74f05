import { SignJWT } from "jose";
import { AUDIENCE, DEVELOPMENT_KEY, ISSUER } from "../src/auth-key.ts";

/**
 * Returns an access token of a caller, which expires after a day. The application accepts the development key, which signs the token by
 * default, only if `NODE_ENV` is `development` or `test` and `AUTH_SECRET` is not set.
 */
export function accessToken(
  caller: string,
  roles: readonly string[],
  key: Uint8Array = DEVELOPMENT_KEY,
): Promise<string> {
  return new SignJWT({ roles })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(caller)
    .setExpirationTime("1 day")
    .sign(key);
}

/** Returns the header with an access token of a caller, who is a manager by default. */
export async function credentials(...roles: readonly string[]): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await accessToken("tester", roles.length === 0 ? ["manager"] : roles)}` };
}

// `npm run --silent token ada manager` prints a token of Ada, who is a manager.
if (import.meta.main) {
  const [caller, ...roles] = process.argv.slice(2);
  if (caller === undefined) {
    console.error("usage: npm run --silent token <caller> [member|manager]");
    process.exitCode = 1;
  } else {
    console.log(await accessToken(caller, roles));
  }
}
