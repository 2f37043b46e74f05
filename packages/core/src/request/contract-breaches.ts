import type { Log } from "../logging/log.ts";
import { Sampler } from "../logging/sampler.ts";

/**
 * Logs responses that could not be written because they do not fit their contract. The first of a route and minute is logged, the others
 * by their number: a handler that is wrong is wrong in every answer, and its answers would fill the log.
 */
export class ContractBreaches {
  readonly #sampler: Sampler<unknown>;

  constructor(log: Log) {
    this.#sampler = new Sampler(1, (route, count, error) => {
      const message = `${count} more responses of ${route} did not fit their contract and were answered with 500`;
      log.at(() => ({ route, phase: "serialization" })).error(message, { count, error });
    });
  }

  /** Counts a response. `tell` logs it, with the request's ids; it is called for the first of a route in its minute. */
  count(route: string, error: unknown, tell: () => void): void {
    if (this.#sampler.takes(route, error)) tell();
  }

  /** Tells what was not told yet; for the end of the application. */
  flush(): void {
    this.#sampler.flush();
  }
}
