import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

/** Delays of the event loop in about one minute, in milliseconds: how late its timers ran. */
export interface Lag {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const resolutionMs = 20;
const windowMs = 60_000;

/** Measures the delay of the event loop, minute by minute. */
export class EventLoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #timer: NodeJS.Timeout;
  #last: Lag | undefined;

  constructor() {
    this.#histogram.enable();
    this.#timer = setInterval(() => {
      this.#last = this.#read();
      this.#histogram.reset();
    }, windowMs);
    this.#timer.unref();
  }

  /**
   * Returns the delays of the last full minute or of the current minute, whichever are longer. Returns null
   * before the first measurement.
   */
  read(): Lag | null {
    const present = this.#read();
    const last = this.#last;
    if (present === undefined || last === undefined) return present ?? last ?? null;
    return present.p99Ms > last.p99Ms ? present : last;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }

  #read(): Lag | undefined {
    const histogram = this.#histogram;
    if (histogram.count === 0) return undefined;
    return {
      meanMs: late(histogram.mean),
      p50Ms: late(histogram.percentile(50)),
      p99Ms: late(histogram.percentile(99)),
      maxMs: late(histogram.max),
    };
  }
}

/**
 * Converts a value of the histogram to a delay in milliseconds. The histogram contains the times between two
 * timers, which equal the resolution if there is no delay.
 */
function late(ns: number): number {
  return Math.round(Math.max(0, ns / 1e6 - resolutionMs) * 1_000) / 1_000;
}
