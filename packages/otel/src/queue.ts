import type { Counter } from "./counter.ts";

/** Queue of items that wait for their export. Drops items beyond its capacity, because lost telemetry is better than unlimited memory. */
export class Queue<T> {
  readonly #capacity: number;
  readonly #counter: Counter;
  readonly #onHalfFull: () => void;
  #items: T[] = [];

  /** Creates a queue. `onHalfFull` is called when half of the capacity is used, so that the caller can start an export early. */
  constructor(capacity: number, counter: Counter, onHalfFull: () => void) {
    this.#capacity = capacity;
    this.#counter = counter;
    this.#onHalfFull = onHalfFull;
  }

  get length(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#counter.add(1);
    if (this.#items.length >= this.#capacity) {
      this.#counter.drop(1);
      return;
    }
    this.#items.push(item);
    if (this.#items.length === Math.ceil(this.#capacity / 2)) this.#onHalfFull();
  }

  /** Removes and returns the oldest items, at most `limit`. */
  take(limit: number): T[] {
    if (this.#items.length <= limit) {
      const all = this.#items;
      this.#items = [];
      return all;
    }
    return this.#items.splice(0, limit);
  }
}
