import { hash } from "node:crypto";

/** Half of the maximum number of tokens, unless a test gives another. A browser sends one token with many requests. */
const defaultHalf = 500;

/**
 * Ids of sessions by their tokens, for the tokens that were read last. An id is a hash, which costs more than the rest of reading a
 * session from memory. Only tokens of cookies with a valid signature are kept, so that clients cannot fill the memory.
 */
export class TokenIds {
  readonly #half: number;
  readonly #idOf: (token: string) => string;
  // Two maps: when the first has half of the tokens, it replaces the second.
  #recent = new Map<string, string>();
  #older = new Map<string, string>();

  constructor(half: number = defaultHalf, idOf: (token: string) => string = idOfToken) {
    this.#half = half;
    this.#idOf = idOf;
  }

  /** Returns the id of the session that a token belongs to. */
  of(token: string): string {
    const recent = this.#recent.get(token);
    if (recent !== undefined) return recent;
    const id = this.#older.get(token) ?? this.#idOf(token);
    // Without the copy, the token would keep the complete header of its request in memory.
    this.#recent.set(Buffer.from(token).toString(), id);
    if (this.#recent.size >= this.#half) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    return id;
  }
}

/** Returns the id of the session that a token belongs to: its hash, so that a copy of the store is of no use to log in. */
export function idOfToken(token: string): string {
  return hash("sha256", token, "base64url");
}
