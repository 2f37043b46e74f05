// Random number generator with a seed.

/** Generator of random numbers (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Returns an integer from 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let word = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) % limit;
  }

  /** Returns true with this probability in percent. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** Returns a random item of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Returns about `percent` of a list's items, in order. */
  some<T>(list: readonly T[], percent: number): T[] {
    return list.filter(() => this.chance(percent));
  }

  /** Returns `count` different items of a list, in random order. */
  several<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    return Array.from({ length: Math.min(count, list.length) }, () =>
      left.splice(this.below(left.length), 1),
    ).flat();
  }
}
