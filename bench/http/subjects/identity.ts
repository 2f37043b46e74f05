/** Values that the benchmark and its subjects share in the scenarios with an identity or a rate limit. */
import { createPublicKey, type KeyObject } from "node:crypto";

/** Feature that a process serves. */
export type IdentityFeature = "jwt-secret" | "jwt-rsa" | "session" | "limit" | "limit-valkey";

const features: readonly string[] = [
  "jwt-secret",
  "jwt-rsa",
  "session",
  "limit",
  "limit-valkey",
] satisfies IdentityFeature[];

export const issuer = "https://id.example/";
export const audience = "https://api.example/";
/** Secret of HMAC signatures, with as many bytes as a hash of SHA-256. */
export const secret: Buffer = Buffer.alloc(32, "secret");
/** Key of the signatures of cookies, with 64 characters because a peer needs as many. */
export const cookieKey: string = "0123456789abcdef".repeat(4);
/** Limit that no run reaches. */
export const mostRequests = 1_000_000_000;

/** Returns the feature that the benchmark has chosen. */
export function chosenIdentity(): IdentityFeature {
  const name = process.env["BENCH_FEATURE"] ?? "";
  if (!features.includes(name)) throw new RangeError(`BENCH_FEATURE must be one of ${features.join(", ")}`);
  return name as IdentityFeature;
}

/** Returns the public key that verifies tokens of the scenario `jwt-rsa`, as PEM. */
export function publicKeyText(): string {
  const text = process.env["BENCH_JWT_KEY"];
  if (text === undefined) throw new RangeError("BENCH_JWT_KEY must have a public key as PEM");
  return text;
}

/** Returns the public key that verifies tokens of the scenario `jwt-rsa`. */
export function publicKey(): KeyObject {
  return createPublicKey(publicKeyText());
}
