const firstMs = 100;
const longestMs = 10_000;
/** A worker that listened for at least this time starts again with the shortest delay. */
const healthyMs = 60_000;

/** Delays before a worker restarts: twice as long each time, up to ten seconds. */
export class BackOff {
  #next = firstMs;

  /** Returns the delay after the worker has stopped, in milliseconds. `livedMs` is the time that the worker had listened. */
  delayAfter(livedMs: number): number {
    if (livedMs >= healthyMs) this.#next = firstMs;
    const delay = this.#next;
    this.#next = Math.min(delay * 2, longestMs);
    return delay;
  }
}
