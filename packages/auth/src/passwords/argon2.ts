import crypto from "node:crypto";

/** Cost of a hash. */
export interface Argon2Cost {
  /** Memory in KiB. */
  readonly memoryKib: number;
  /** Number of passes over the memory. */
  readonly passes: number;
  /** Number of lanes, which OpenSSL may compute at the same time. */
  readonly parallelism: number;
}

/** Stored hash with its parts. */
export interface StoredHash extends Argon2Cost {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Bytes of salts and hashes of new passwords (RFC 9106, section 3.1). */
export const saltBytes = 16;
export const hashBytes = 32;

/** Highest cost of a stored hash that is verified: a hash of somebody else must not stop the server. */
export const mostMemoryKib: number = 1024 * 1024;
export const mostPasses = 64;
export const mostParallelism = 16;

/**
 * Computes Argon2id (RFC 9106) in the thread pool of Node.
 *
 * @throws {Error} If this Node has no Argon2: before version 24.7, or with OpenSSL before 3.2.
 */
export function argon2id(
  password: string,
  salt: Uint8Array,
  length: number,
  { memoryKib, passes, parallelism }: Argon2Cost,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parameters = {
      message: password,
      nonce: salt,
      tagLength: length,
      memory: memoryKib,
      passes,
      parallelism,
    };
    crypto.argon2("argon2id", parameters, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

/** @throws {Error} If this Node has no Argon2. */
export function requireArgon2(): void {
  if (typeof crypto.argon2 === "function") return;
  throw new Error(
    `createPasswords needs Argon2, which Node has since version 24.7; this is ${process.version}`,
  );
}

/** Returns the text to store, in the form of the PHC: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
export function writeHash({ memoryKib, passes, parallelism, salt, hash }: StoredHash): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/** Returns Base64 without padding. */
function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

const form =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,7}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

/** Reads a stored hash. Returns `undefined` if the text is not Argon2id of version 19, or costs too much. */
export function readHash(text: string): StoredHash | undefined {
  const [, memory, passes, parallelism, salt, hash] = form.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  const stored = {
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
  const isTooExpensive =
    stored.memoryKib > mostMemoryKib || stored.passes > mostPasses || stored.parallelism > mostParallelism;
  return isTooExpensive || stored.memoryKib < 8 * stored.parallelism ? undefined : stored;
}
