const firstMs = 100;
const longestMs = 10_000;
/** Who has lived that long starts afresh. */
const healthyMs = 60_000;

/** How long a worker waits before it is started again: twice as long each time, up to ten seconds. */
export class BackOff {
  #next = firstMs;

  /** After an end. `livedMs`: how long the worker had listened. */
  delayAfter(livedMs: number): number {
    if (livedMs >= healthyMs) this.#next = firstMs;
    const delay = this.#next;
    this.#next = Math.min(delay * 2, longestMs);
    return delay;
  }
}
