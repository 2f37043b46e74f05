import cluster from "node:cluster";

import type { LimitStore } from "./limit-store.ts";

/** Options of {@link memoryLimits}. */
export interface MemoryLimitOptions {
  /**
   * Maximum number of clients that are counted at the same time, for each length of windows. Default 100,000, which
   * need about 20 MiB. If there are more clients, the store forgets the client with the oldest window.
   */
  readonly maxClients?: number;
  /** True if each of several workers counts separately. A client can then reach the limit once in each of them. */
  readonly perProcess?: boolean;
}

interface Window {
  readonly key: string;
  count: number;
  readonly endsAt: number;
}

/**
 * Windows of one length. They end in the order of their beginning, so the list has the oldest first. The order of a `Map`
 * is not used: finding the first entry of a `Map` takes longer the more entries were deleted before it.
 */
class Windows {
  readonly #byKey = new Map<string, Window>();
  #list: Window[] = [];
  /** Index of the oldest window in the list. Earlier entries were removed. */
  #first = 0;

  /** Returns the window of a key, and begins one if there is none. */
  of(key: string, windowMs: number, maxClients: number, now: number): Window {
    while (this.#first < this.#list.length && this.#list[this.#first]!.endsAt <= now) this.#removeOldest();
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= maxClients) this.#removeOldest();
    const window = { key, count: 0, endsAt: now + windowMs };
    this.#byKey.set(key, window);
    this.#list.push(window);
    return window;
  }

  #removeOldest(): void {
    this.#byKey.delete(this.#list[this.#first]!.key);
    this.#first += 1;
    // Copying half of the list is rare enough that each window is copied about once.
    if (this.#first * 2 > this.#list.length) {
      this.#list = this.#list.slice(this.#first);
      this.#first = 0;
    }
  }
}

/**
 * Creates a store that counts in the memory of this process. The counts are lost when the process ends.
 *
 * @param options - All have defaults.
 * @example
 * ```ts
 * export const limited = rateLimit({ limit: "100/min", store: memoryLimits({ maxClients: 10_000 }) });
 * ```
 * @throws {TypeError} If this process is one of several workers, and `perProcess` is not true.
 * @throws {RangeError} If `maxClients` is not a positive integer.
 */
export function memoryLimits({
  maxClients = 100_000,
  perProcess = false,
}: MemoryLimitOptions = {}): LimitStore {
  if (!Number.isInteger(maxClients) || maxClients < 1) {
    throw new RangeError(`memoryLimits: maxClients must be a positive integer, not ${String(maxClients)}`);
  }
  if (!perProcess && isWorker()) {
    throw new TypeError(
      "rateLimit: this process is one of several workers, and each worker would count separately. Share the counts with `store: valkeyLimits(client)` or `store: postgresLimits(pool)`, or allow each worker its own with `store: memoryLimits({ perProcess: true })`",
    );
  }
  const byLength = new Map<number, Windows>();
  return {
    count(key, windowMs) {
      let windows = byLength.get(windowMs);
      if (windows === undefined) byLength.set(windowMs, (windows = new Windows()));
      // Whole milliseconds, so that the rest of a new window is exactly its length.
      const now = Math.floor(performance.now());
      const window = windows.of(key, windowMs, maxClients, now);
      window.count += 1;
      return { count: window.count, resetMs: window.endsAt - now };
    },
  };
}

/**
 * Returns true in a worker process. The native server deletes the variable when its module is loaded, and sets the
 * symbol then.
 */
function isWorker(): boolean {
  return (
    cluster.isWorker ||
    Reflect.has(globalThis, Symbol.for("kit.worker")) ||
    process.env["KIT_WORKER_PLAN"] !== undefined
  );
}
