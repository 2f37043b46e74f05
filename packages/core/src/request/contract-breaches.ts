import type { Log } from "../logging/log.ts";

/** At most one entry of a route within this time. */
const intervalMs = 60_000;

interface Window {
  /** How many there were that no entry told of. */
  untold: number;
  lastError: unknown;
  readonly timer: NodeJS.Timeout;
}

/**
 * Responses that could not be written because they do not fit their contract. The first of a route is logged, then for each
 * minute in which there were more how many: a handler that is wrong is wrong in every answer, and
 * its answers would fill the log.
 */
export class ContractBreaches {
  readonly #log: Log;
  readonly #windows = new Map<string, Window>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Counts one. `tell` logs it, with the request's ids; it is called for the first of a route in its minute. */
  count(route: string, error: unknown, tell: () => void): void {
    const window = this.#windows.get(route);
    if (window !== undefined) {
      window.untold += 1;
      window.lastError = error;
      return;
    }
    this.#open(route);
    tell();
  }

  /** Tells what was not told yet; for the end of the application. */
  flush(): void {
    for (const [route, { timer, untold, lastError }] of this.#windows) {
      clearTimeout(timer);
      this.#tell(route, untold, lastError);
    }
    this.#windows.clear();
  }

  #open(route: string): void {
    const timer = setTimeout(() => this.#close(route), intervalMs).unref();
    this.#windows.set(route, { untold: 0, lastError: undefined, timer });
  }

  #close(route: string): void {
    const { untold, lastError } = this.#windows.get(route)!;
    this.#windows.delete(route);
    if (untold === 0) return;
    this.#tell(route, untold, lastError);
    // They go on: the next minute's are counted as well.
    this.#open(route);
  }

  #tell(route: string, count: number, error: unknown): void {
    if (count === 0) return;
    const message = `${count} more responses of ${route} did not fit their contract and were answered with 500`;
    this.#log.at(() => ({ route, phase: "serialization" })).error(message, { count, error });
  }
}
