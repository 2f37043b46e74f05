/** Readers of values. Each reader receives all values that are published while it is open. */
export class Readers<T> {
  readonly #open = new Set<Reader<T>>();

  /** Adds a reader. */
  open(): AsyncIterableIterator<T, undefined, undefined> {
    const reader = new Reader<T>(() => this.#open.delete(reader));
    this.#open.add(reader);
    return reader;
  }

  publish(value: T): void {
    for (const reader of this.#open) reader.push(value);
  }
}

class Reader<T> implements AsyncIterableIterator<T, undefined, undefined> {
  readonly #leave: () => void;
  readonly #waiting: T[] = [];
  #wake: ((result: IteratorResult<T, undefined>) => void) | undefined;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  push(value: T): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake === undefined) this.#waiting.push(value);
    else wake({ done: false, value });
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const value = this.#waiting.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#leave();
    this.#wake?.({ done: true, value: undefined });
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
