/** Issuer and audience of access tokens: the claims `iss` and `aud` of each token. */
export const ISSUER: string = process.env["AUTH_ISSUER"] || "teams";
export const AUDIENCE: string = process.env["AUTH_AUDIENCE"] || "teams";

/** HMAC with SHA-256 requires a key of at least 256 bits (RFC 7518, section 3.2). */
const KEY_BYTES = 32;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const DEVELOPMENT_SECRET = "everybody knows this key: development and tests only";

/** Signs the tokens of `npm run token` and of tests. The key is public, so it is accepted only in development and tests. */
export const DEVELOPMENT_KEY: Uint8Array = encode(DEVELOPMENT_SECRET);

/**
 * Returns the key of the signatures of access tokens: the bytes of `AUTH_SECRET`. Without `AUTH_SECRET`, returns the development key,
 * but only if `NODE_ENV` is `development` or `test`. If `NODE_ENV` is not set, the environment counts as production.
 *
 * @throws An `Error` if there is no secret key, so that the application does not start.
 */
export function authKey(): Uint8Array {
  const secret = process.env["AUTH_SECRET"] ?? "";
  const isDevelopment = ["development", "test"].includes(process.env["NODE_ENV"] ?? "");
  if (secret === "" && isDevelopment) return DEVELOPMENT_KEY;
  const key = encode(secret);
  if (key.length < KEY_BYTES) {
    throw new Error(
      `AUTH_SECRET has ${key.length} bytes; the secret of access tokens needs at least ${KEY_BYTES}. Create one with \`openssl rand -base64 48\``,
    );
  }
  if (secret === DEVELOPMENT_SECRET && !isDevelopment) {
    throw new Error("AUTH_SECRET is the development key, which is public; create your own secret");
  }
  return key;
}
