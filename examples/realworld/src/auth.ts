import { randomBytes } from "node:crypto";
import { createPasswords, jwt, type JwtAuth, optionalJwt } from "@kit/auth";
import type { Middleware } from "@kit/core";
import { SignJWT } from "jose";
import { environment } from "./environment.ts";

/** Properties that {@link requireMember} adds to `ctx`. The subject is the id of the user's account. */
export interface Member {
  auth: JwtAuth;
}

/** Properties that {@link readMember} adds to `ctx`: `null` if the request has no token. */
export interface Reader {
  auth: JwtAuth | null;
}

export const passwords = createPasswords();

const secret = readSecret();

/** Returns the secret of `AUTH_SECRET`. In development and tests, without that variable, returns a new one for each process. */
function readSecret(): Uint8Array {
  if (environment.AUTH_SECRET !== undefined) return Buffer.from(environment.AUTH_SECRET);
  if (["development", "test"].includes(process.env["NODE_ENV"] ?? "")) return randomBytes(32);
  throw new Error("AUTH_SECRET is not set: openssl rand -base64 48");
}

/** Name of this application in its tokens, as their issuer and their audience. */
const conduit = "conduit";

/** Returns a token that names the user for a week. */
export function tokenFor(userId: string): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(conduit)
    .setAudience(conduit)
    .setSubject(userId)
    .setExpirationTime("7d")
    .sign(secret);
}

const rules = {
  issuer: conduit,
  audience: conduit,
  keys: secret,
  clockToleranceMs: 0,
  // The RealWorld specification also has the scheme `Token`.
  schemes: ["Bearer", "Token"],
} as const;

/** Accepts only requests with a token. */
export const requireMember: Middleware<Member> = jwt(rules);

/** Accepts requests with and without a token. */
export const readMember: Middleware<Reader> = optionalJwt(rules);
