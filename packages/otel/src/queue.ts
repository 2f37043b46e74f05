import type { Counter } from "./counter.ts";

/** What waits for its export. It takes no more than fits: telemetry may be lost, the application's memory may not. */
export class Queue<T> {
  readonly #capacity: number;
  readonly #counter: Counter;
  readonly #onHalfFull: () => void;
  #items: T[] = [];

  /** `onHalfFull`: called when there is as much that one should not wait any longer. */
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

  /** The oldest, at most that many. */
  take(limit: number): T[] {
    if (this.#items.length <= limit) {
      const all = this.#items;
      this.#items = [];
      return all;
    }
    return this.#items.splice(0, limit);
  }
}
