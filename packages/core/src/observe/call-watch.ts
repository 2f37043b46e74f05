/** After so many requests without a call a route is taken for one that makes none. */
const quietAfter = 32;
/** Of such a route one request in so many is watched all the same; a power of two. */
const watchedOneIn = 64;

/**
 * Whether requests of a route run where their calls can be told apart. An asynchronous context costs a request some part of a microsecond for each middleware and handler, and most
 * routes that answer within microseconds ask nobody; those that do wait longer for it than that.
 */
export class CallWatch {
  #quiet = 0;
  #passed = 0;

  /** Whether the next request is watched. */
  next(): boolean {
    if (this.#quiet < quietAfter) return true;
    this.#passed += 1;
    return this.#passed % watchedOneIn === 0;
  }

  /** A request that was watched is over. */
  seen(hasCalled: boolean): void {
    if (hasCalled) this.wake();
    else if (this.#quiet < quietAfter) this.#quiet += 1;
  }

  /** From now on its requests are watched. */
  wake(): void {
    this.#quiet = 0;
  }
}
