/** The time for measuring, in milliseconds from the process's start. Bound, since its method looks at what it is called on; `process.hrtime()` makes a list. */
export const monotonicMs: () => number = performance.now.bind(performance);

/** How far the clocks may drift apart before it is corrected. */
const toleratedMs = 5;
const checkEveryMs = 1_000;

/**
 * Tells what time of day a monotonic time was. The clock of the day may be set while the process runs, so the two are held
 * against each other now and then.
 */
export class DayClock {
  #offset = performance.timeOrigin;
  #nextCheck = 0;

  /** Milliseconds since 1970, with a fraction, of a monotonic time that is now. */
  at(nowMs: number): number {
    if (nowMs >= this.#nextCheck) {
      this.#nextCheck = nowMs + checkEveryMs;
      const offset = Date.now() - monotonicMs();
      if (Math.abs(offset - this.#offset) > toleratedMs) this.#offset = offset;
    }
    return nowMs + this.#offset;
  }
}
