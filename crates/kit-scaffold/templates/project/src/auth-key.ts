/** Who issues access tokens, and for whom: the claims `iss` and `aud` of each token. */
export const ISSUER = process.env["AUTH_ISSUER"] || "{{name}}";
export const AUDIENCE = process.env["AUTH_AUDIENCE"] || "{{name}}";

/** HMAC with SHA-256 takes a key of at least 256 bits (RFC 7518, section 3.2). */
const KEY_BYTES = 32;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const DEVELOPMENT_SECRET = "everybody knows this key: development and tests only";

/** Signs the tokens of `npm run token` and of tests. Everybody can read it here, so it counts in development and tests only. */
export const DEVELOPMENT_KEY = encode(DEVELOPMENT_SECRET);

/**
 * Returns the key that access tokens are signed with: the bytes of `AUTH_SECRET`. The development key takes its place only
 * where `NODE_ENV` says `development` or `test`; an environment that is not set counts as production.
 *
 * @throws An `Error` if there is no key that others do not know, so that the application does not start.
 */
export function authKey(): Uint8Array {
  const secret = process.env["AUTH_SECRET"] ?? "";
  const mode = process.env["NODE_ENV"];
  const isDevelopment = mode === "development" || mode === "test";
  if (secret === "" && isDevelopment) return DEVELOPMENT_KEY;
  const key = encode(secret);
  if (key.length < KEY_BYTES) {
    throw new Error(
      `AUTH_SECRET has ${key.length} bytes: access tokens are signed with a secret of at least ${KEY_BYTES}, such as \`openssl rand -base64 48\` prints. Only with NODE_ENV=development or NODE_ENV=test may it be left out`,
    );
  }
  if (secret === DEVELOPMENT_SECRET && !isDevelopment) {
    throw new Error("AUTH_SECRET is the development key, which everybody knows: make one of your own");
  }
  return key;
}
