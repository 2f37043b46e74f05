const firstMs = 100;
const longestMs = 10_000;
/** A worker that has listened for this time, in milliseconds, restarts with the shortest delay again. */
const healthyMs = 60_000;

/** Delay before a worker restarts. It doubles with each restart, up to ten seconds. */
export class BackOff {
  #next = firstMs;

  /** Returns the delay before the next restart, in milliseconds. `livedMs` is the time for which the worker has listened. */
  delayAfter(livedMs: number): number {
    if (livedMs >= healthyMs) this.#next = firstMs;
    const delay = this.#next;
    this.#next = Math.min(delay * 2, longestMs);
    return delay;
  }
}
