import type { Pool } from "./driver.ts";

/** Default of `max` in the package `pg`. */
const defaultConnections = 10;

const placesOfPools = new WeakMap<Pool, Places>();

/**
 * Waits until a transaction of a request may take a connection of a pool, and resolves to the function that gives this
 * right back. The transactions of requests together leave one connection of the pool free. Otherwise, handlers that use
 * the pool itself inside of such a transaction, for example to store a session, would all wait for each other.
 *
 * @throws {unknown} The reason of the signal, if the signal aborts, or an error if the wait is longer than the pool allows
 * for a connection.
 */
export function takePlace(pool: Pool, signal: AbortSignal): Promise<() => void> {
  let places = placesOfPools.get(pool);
  if (places === undefined) placesOfPools.set(pool, (places = new Places(pool)));
  return places.take(signal);
}

/** Transactions of requests that may be open at the same time. The others wait in the order of their arrival. */
class Places {
  readonly #timeoutMs: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor({ options }: Pool) {
    const { max, connectionTimeoutMillis } = (options ?? {}) as Partial<Record<string, number>>;
    this.#free = Math.max(1, (max ?? defaultConnections) - 1);
    this.#timeoutMs = connectionTimeoutMillis ?? 0;
  }

  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    return () => this.#giveBack();
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (settle: () => void): void => {
      this.#waiting.delete(enter);
      signal.removeEventListener("abort", onAbort);
      clearTimeout(timer);
      settle();
    };
    const enter = (): void => end(resolve);
    const onAbort = (): void => end(() => reject(signal.reason));
    // The same error as that of `pg`, so that the request gets 503.
    const onTimeout = (): void => end(() => reject(new Error("timeout exceeded when trying to connect")));
    const timer = this.#timeoutMs > 0 ? setTimeout(onTimeout, this.#timeoutMs) : undefined;
    signal.addEventListener("abort", onAbort, { once: true });
    this.#waiting.add(enter);
    return promise;
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next();
  }
}
