import { randomBytes, timingSafeEqual } from "node:crypto";

import { AppError, ValidationError } from "@kit/errors";

import { integerOption, refuseUnknown } from "../check-options.ts";
import {
  argon2id,
  hashBytes,
  mostMemoryKib,
  mostParallelism,
  mostPasses,
  readHash,
  requireArgon2,
  saltBytes,
  type StoredHash,
  writeHash,
} from "./argon2.ts";

/** Options of {@link createPasswords}. */
export interface PasswordOptions {
  /** Memory of one hash in KiB. Default 19,456 (19 MiB). */
  readonly memoryKib?: number;
  /** Number of passes over the memory. Default 2. */
  readonly passes?: number;
  /** Number of lanes. Default 1. */
  readonly parallelism?: number;
  /** Number of hashes that are computed at the same time. Default 2: the thread pool of Node has 4 threads. */
  readonly concurrency?: number;
  /** Number of hashes that may wait. If more are needed, the function rejects with 503. Default 100. */
  readonly maxWaiting?: number;
  /** Maximum length of a password in bytes of UTF-8. Default 1,024. */
  readonly maxBytes?: number;
}

const knownOptions: Readonly<Record<keyof PasswordOptions, true>> = {
  memoryKib: true,
  passes: true,
  parallelism: true,
  concurrency: true,
  maxWaiting: true,
  maxBytes: true,
};

/** Hashes and verifies passwords. */
export interface Passwords {
  /**
   * Resolves to the hash of a password, to store.
   *
   * @throws {ValidationError} `PASSWORD_TOO_LONG`, if the password has more than `maxBytes`.
   * @throws {AppError} 503 `TOO_MANY_LOGINS`, if too many hashes wait.
   */
  hash(password: string): Promise<string>;
  /**
   * Resolves to true if a password has the stored hash. If the user does not exist, pass `null`: the function then
   * takes the same time and resolves to false, so that the time does not show which users exist.
   *
   * @throws {TypeError} If the stored text is not a hash of Argon2id.
   * @throws {AppError} 503 `TOO_MANY_LOGINS`, if too many hashes wait.
   */
  verify(password: string, stored: string | null): Promise<boolean>;
  /** Returns true if a stored hash has other parameters than the options. Then hash the password again after a login. */
  needsRehash(stored: string): boolean;
}

/**
 * Creates the functions that hash and verify passwords with Argon2id. The default parameters are those of the
 * [OWASP Password Storage Cheat Sheet](https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html).
 * Passwords are normalized to NFKC first, so that each keyboard gives the same password (NIST SP 800-63B).
 *
 * @param options - Parameters and limits, all of which have defaults.
 * @example
 * ```ts
 * const passwords = createPasswords();
 * const stored = await passwords.hash("correct horse battery staple");
 * await passwords.verify("correct horse battery staple", stored); // true
 * ```
 * @throws {TypeError} If an option is unknown.
 * @throws {RangeError} If a number is not in its range.
 * @throws {Error} If this Node has no Argon2: before version 24.7.
 */
export function createPasswords(options: PasswordOptions = {}): Passwords {
  refuseUnknown("createPasswords", options, knownOptions);
  requireArgon2();
  const number = (name: keyof PasswordOptions, fallback: number, range: readonly [number, number]): number =>
    integerOption(`createPasswords: ${name}`, options[name], fallback, range);
  const parallelism = number("parallelism", 1, [1, mostParallelism]);
  const cost = {
    memoryKib: number("memoryKib", 19_456, [Math.max(7168, 8 * parallelism), mostMemoryKib]),
    passes: number("passes", 2, [1, mostPasses]),
    parallelism,
  };
  const maxBytes = number("maxBytes", 1024, [64, 65_536]);
  const slots = new Slots(number("concurrency", 2, [1, 64]), number("maxWaiting", 100, [0, 10_000]));
  /** Hash of no password, for users that do not exist. */
  const ofNobody: StoredHash = { ...cost, salt: randomBytes(saltBytes), hash: Buffer.alloc(hashBytes) };
  const normalized = (password: string): string | undefined => {
    // The length is checked first, because normalizing a long text takes long.
    if (typeof password !== "string" || Buffer.byteLength(password) > maxBytes) return undefined;
    return password.normalize("NFKC");
  };
  return {
    async hash(password) {
      const text = normalized(password);
      if (text === undefined || !text.isWellFormed()) {
        throw new ValidationError("PASSWORD_TOO_LONG", `A password has at most ${maxBytes} bytes of text`);
      }
      const salt = randomBytes(saltBytes);
      const hash = await slots.run(() => argon2id(text, salt, hashBytes, cost));
      return writeHash({ ...cost, salt, hash });
    },
    async verify(password, stored) {
      const expected = stored === null ? ofNobody : readHash(stored);
      if (expected === undefined) {
        throw new TypeError("The stored text is not a hash of Argon2id, such as $argon2id$v=19$m=…");
      }
      const text = normalized(password);
      if (text === undefined || !text.isWellFormed()) return false;
      const { salt, hash } = expected;
      const actual = await slots.run(() => argon2id(text, salt, hash.length, expected));
      return timingSafeEqual(actual, hash) && stored !== null;
    },
    needsRehash(stored) {
      const found = readHash(stored);
      return (
        found === undefined ||
        found.memoryKib !== cost.memoryKib ||
        found.passes !== cost.passes ||
        found.parallelism !== cost.parallelism ||
        found.salt.length !== saltBytes ||
        found.hash.length !== hashBytes
      );
    },
  };
}

/** Runs a limited number of operations at the same time. Further ones wait in their order, and too many are refused. */
class Slots {
  readonly #waiting: (() => void)[] = [];
  readonly #maxWaiting: number;
  #free: number;

  constructor(concurrency: number, maxWaiting: number) {
    this.#free = concurrency;
    this.#maxWaiting = maxWaiting;
  }

  async run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else {
      if (this.#waiting.length >= this.#maxWaiting) {
        throw new AppError("TOO_MANY_LOGINS", 503, "Too many logins at the moment, try again later");
      }
      // The slot passes to the next operation without becoming free, so that no other takes it.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await operation();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
