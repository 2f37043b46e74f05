import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Length of the part by which a key is found: 71 bits, so that two keys are never found by the same text. */
const idLength = 12;

/** Length of the secret part: 190 bits. Nobody can try so many keys, so that a fast hash is enough. */
const secretLength = 32;

/** Length of the checksum: all values of a CRC-32. */
const checksumLength = 6;

const prefixForm = /^[a-z][a-z0-9]{0,19}(?:_[a-z0-9]{1,20})?$/;

/** A new API key. */
export interface NewApiKey {
  /** Key for its owner. Show it once, and do not store it. */
  readonly key: string;
  /** Part of the key by which the application finds it: `shop_9sQ2…`. Not secret. */
  readonly id: string;
  /** SHA-256 of the key in base64url, to store beside `id`. */
  readonly hash: string;
}

/**
 * Creates an API key: prefix, id, secret and checksum, such as `shop_9sQ2…_Zk31…`. By the prefix, people and programs
 * that search for secrets can recognize the key.
 *
 * @param prefix - Lower-case letters and digits, at most one underscore: `shop` or `shop_test`.
 * @example
 * ```ts
 * const { key, id, hash } = createApiKey("shop");
 * await db.insert({ id, hash, subject: "ada", scopes: ["orders:read"] });
 * ```
 * @throws {TypeError} If the prefix has another form.
 */
export function createApiKey(prefix: string): NewApiKey {
  checkPrefix("createApiKey", prefix);
  const id = `${prefix}_${randomText(idLength)}`;
  const secret = `${id}_${randomText(secretLength)}`;
  const key = `${secret}${checksumOf(secret)}`;
  return { key, id, hash: hashApiKey(key) };
}

/**
 * Returns the SHA-256 of an API key in base64url. A fast hash is enough, because a key has too many bits to guess.
 *
 * @example
 * ```ts
 * hashApiKey("shop_1_2"); // "2lZUk…"
 * ```
 */
export function hashApiKey(key: string): string {
  return hash("sha256", key, "base64url");
}

/**
 * Returns the id of a key, or `undefined` if the text is no key with this prefix. The checksum finds keys that were
 * misspelt or cut, so that they need no query.
 */
export function idOfApiKey(prefix: string, key: string): string | undefined {
  const idEnd = prefix.length + 1 + idLength;
  if (key.length !== idEnd + 1 + secretLength + checksumLength) return undefined;
  if (!key.startsWith(`${prefix}_`) || key[idEnd] !== "_") return undefined;
  const secret = key.slice(0, -checksumLength);
  return secret + checksumOf(secret) === key ? key.slice(0, idEnd) : undefined;
}

/** @throws {TypeError} If the prefix has another form. */
export function checkPrefix(owner: string, prefix: unknown): void {
  if (typeof prefix === "string" && prefixForm.test(prefix)) return;
  throw new TypeError(
    `${owner}: the prefix must have lower-case letters and digits, and at most one underscore, such as shop_test, not ${JSON.stringify(prefix)}`,
  );
}

/** Returns random characters of the alphabet, each with the same probability. */
function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      const character = alphabet[byte & 63];
      if (character !== undefined && text.length < length) text += character;
    }
  }
  return text;
}

function checksumOf(text: string): string {
  let value = crc32(text);
  let checksum = "";
  for (let digit = 0; digit < checksumLength; digit += 1) {
    checksum = alphabet[value % alphabet.length]! + checksum;
    value = Math.floor(value / alphabet.length);
  }
  return checksum;
}
