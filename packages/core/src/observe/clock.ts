/**
 * Returns the monotonic time in milliseconds since the start of the process. The method is bound, because it needs its
 * receiver. `process.hrtime()` would allocate an array.
 */
export const monotonicMs: () => number = performance.now.bind(performance);

/** Maximum drift between the clocks, in milliseconds, before it is corrected. */
const toleratedMs = 5;
const checkEveryMs = 1_000;

/**
 * Converts monotonic time to wall-clock time. The wall clock may be set while the process runs, so the two clocks are
 * compared about once per second.
 */
export class DayClock {
  #offset = performance.timeOrigin;
  #nextCheck = 0;

  /** Converts the current monotonic time to milliseconds since 1970, with a fraction. */
  at(nowMs: number): number {
    if (nowMs >= this.#nextCheck) {
      this.#nextCheck = nowMs + checkEveryMs;
      const offset = Date.now() - monotonicMs();
      if (Math.abs(offset - this.#offset) > toleratedMs) this.#offset = offset;
    }
    return nowMs + this.#offset;
  }
}
