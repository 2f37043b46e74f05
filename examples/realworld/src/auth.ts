import { createSecretKey, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { defineMiddleware } from "@kit/core";
import { UnauthorizedError } from "@kit/errors";
import { errors, jwtVerify, SignJWT } from "jose";
import { environment } from "./environment.ts";

/** Id of the user who is logged in. */
export interface Member {
  userId: string;
}

/** Id of the user who asks, or `null` if the request has no token. */
export interface Reader {
  readerId: string | null;
}

const key = createSecretKey(secret());

/** Returns the secret of `AUTH_SECRET`. In development and tests, without that variable, returns a new one for each process. */
function secret(): Buffer {
  if (environment.AUTH_SECRET !== undefined) return Buffer.from(environment.AUTH_SECRET);
  if (["development", "test"].includes(process.env["NODE_ENV"] ?? "")) return randomBytes(32);
  throw new Error("AUTH_SECRET is not set: openssl rand -base64 48");
}

/** Returns a token that names the user for a week. */
export function tokenFor(userId: string): Promise<string> {
  return new SignJWT({ sub: userId }).setProtectedHeader({ alg: "HS256" }).setExpirationTime("7d").sign(key);
}

async function userOf(header: string): Promise<string> {
  const [scheme = "", token = ""] = header.split(" ");
  // The RealWorld specification also has the scheme `Token`.
  if (!["bearer", "token"].includes(scheme.toLowerCase()))
    throw new UnauthorizedError("TOKEN_MISSING", "is missing");
  try {
    const rules = { algorithms: ["HS256"], requiredClaims: ["exp", "sub"] };
    const { payload } = await jwtVerify<{ sub: string }>(token, key, rules);
    return payload.sub;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw new UnauthorizedError("TOKEN_INVALID", "is invalid");
  }
}

/**
 * Accepts only requests with a token.
 *
 * @security bearer JWT
 * @throws TOKEN_MISSING 401 The request has no token.
 * @throws TOKEN_INVALID 401 The token is forged or expired.
 */
export const requireMember = defineMiddleware<Member>(async ({ headers }) => ({
  userId: await userOf(headers["authorization"] ?? ""),
}));

/**
 * Accepts requests with and without a token.
 *
 * @throws TOKEN_MISSING 401 The header `authorization` has another scheme.
 * @throws TOKEN_INVALID 401 The token is forged or expired.
 */
export const readMember = defineMiddleware<Reader>(async ({ headers }) => {
  const header = headers["authorization"];
  return { readerId: header === undefined ? null : await userOf(header) };
});

const derive = promisify<string, Buffer, number, Buffer>(scrypt);

/** Returns a salt and the hash of the password, in one string. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString("base64")}.${(await derive(password, salt, 32)).toString("base64")}`;
}

/** Returns true if the password has that hash. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [salt = "", hash = ""] = stored.split(".");
  const expected = Buffer.from(hash, "base64");
  const actual = await derive(password, Buffer.from(salt, "base64"), 32);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
