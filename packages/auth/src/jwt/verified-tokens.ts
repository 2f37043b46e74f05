import type { FlattenedJWSInput, JWSHeaderParameters } from "jose";

import type { Candidates } from "./key-source.ts";

/** Token whose signature and claims were verified. */
export interface VerifiedToken {
  readonly header: JWSHeaderParameters;
  readonly input: FlattenedJWSInput;
  /** Key that verified the signature. */
  readonly key: Candidates[number];
  /** Claims as JSON. Each request parses its own copy, because a handler may change the objects. */
  readonly claims: string;
}

/**
 * Verified tokens by their texts, the most recent ones first. Clients send one token with many requests, and a signature
 * costs more than the rest of a request.
 */
export class VerifiedTokens {
  readonly #capacity: number;
  // Two maps: when the first is half of the capacity, it replaces the second. To remove the oldest entry of a large map,
  // V8 walks over all entries that were removed before.
  #recent = new Map<string, VerifiedToken>();
  #older = new Map<string, VerifiedToken>();

  /** Creates an empty cache for at most `capacity` tokens. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(token: string): VerifiedToken | undefined {
    const recent = this.#recent.get(token);
    if (recent !== undefined) return recent;
    const older = this.#older.get(token);
    if (older !== undefined) this.add(token, older);
    return older;
  }

  add(token: string, verified: VerifiedToken): void {
    if (this.#capacity === 0) return;
    this.#recent.set(token, verified);
    if (this.#recent.size * 2 < this.#capacity) return;
    this.#older = this.#recent;
    this.#recent = new Map();
  }

  delete(token: string): void {
    this.#recent.delete(token);
    this.#older.delete(token);
  }
}
