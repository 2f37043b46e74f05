/** Generator of random numbers with a seed (mulberry32). Each request has its own generator, so that a single request can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number, index: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
    // Skips the first numbers, because similar seeds give similar first numbers.
    for (let count = 0; count < 4; count += 1) this.next();
  }

  /** Returns a number from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer between two bounds, including the bounds. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }

  /** Returns one of several items. An item with twice the weight is chosen twice as often. */
  weighed<T>(...choices: readonly (readonly [weight: number, item: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of choices) {
      left -= weight;
      if (left < 0) return item;
    }
    return (choices.at(-1) as readonly [number, T])[1];
  }
}
