/** The time for measuring, in milliseconds from an arbitrary start; half the price of `performance.now()`. */
export function monotonicMs(): number {
  const time = process.hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}

/** How far the clocks may drift apart before it is corrected. */
const toleratedMs = 5;
const checkEveryMs = 1_000;

/**
 * Tells what time of day a monotonic time was. The clock of the day may be set while the process runs, so the two are held
 * against each other now and then.
 */
export class DayClock {
  #offset = performance.timeOrigin + performance.now() - monotonicMs();
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
