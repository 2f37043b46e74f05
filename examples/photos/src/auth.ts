import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createSessions, memorySessions, sessionAuth, type SessionAuth } from "@kit/auth";

/** Password of the owner. Without `PHOTOS_PASSWORD`, each start has a new one. */
export const password: string = process.env["PHOTOS_PASSWORD"] || randomBytes(12).toString("base64url");

/** Sessions of the owner. They end with the process, like the key of their cookies. */
export const sessions = createSessions({ store: memorySessions() });

/** Middleware that refuses requests of anybody but the owner. */
export const requireOwner = sessionAuth(sessions);

/** Properties that {@link requireOwner} adds to `ctx`. */
export interface Owner {
  auth: SessionAuth;
}

/** Keys that sign the cookies. */
export const cookieKeys: readonly string[] = [randomBytes(32).toString("base64")];

/** Compares a text with the password. The time does not show how many characters are right. */
export function isPassword(text: string): boolean {
  const [given, expected] = [text, password].map((value) => createHash("sha256").update(value).digest());
  return timingSafeEqual(given!, expected!);
}
