/** Number of consecutive requests without an outgoing call after which a route counts as quiet. */
const quietThreshold = 32;
/** Number N: of a quiet route, only every Nth request is observed. Must be a power of two. */
const watchedOneIn = 64;

/**
 * Decides if requests of a route run in an asynchronous context, which assigns outgoing calls to their request. The
 * context costs a fraction of a microsecond for each middleware and handler. Most routes that respond within
 * microseconds make no calls, and for routes that make calls the cost is small compared with the duration of the calls.
 */
export class CallWatch {
  #quiet = 0;
  #passed = 0;

  /** Returns true if the next request of the route must run in the asynchronous context. */
  next(): boolean {
    if (this.#quiet < quietThreshold) return true;
    this.#passed += 1;
    return this.#passed % watchedOneIn === 0;
  }

  /** Records the end of an observed request. `hasCalled` is true if the request made an outgoing call. */
  recordRequest(hasCalled: boolean): void {
    if (hasCalled) this.resume();
    else if (this.#quiet < quietThreshold) this.#quiet += 1;
  }

  /** Observes the next requests of the route again, because a request made an outgoing call. */
  resume(): void {
    this.#quiet = 0;
  }
}
