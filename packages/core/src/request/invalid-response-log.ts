import type { Log } from "../logging/log.ts";
import { Sampler } from "../logging/sampler.ts";

/**
 * Logs responses that could not be serialized because they break their contract. The first of these responses
 * of each route and minute is logged. The others become one log entry with their number, because a faulty
 * handler fails in every response and would fill the log.
 */
export class InvalidResponseLog {
  readonly #sampler: Sampler<unknown>;

  constructor(log: Log) {
    this.#sampler = new Sampler(1, (route, count, error) => {
      const message = `${count} more responses of ${route} did not fit their contract and were answered with 500`;
      log.loggerFor(() => ({ route, phase: "serialization" })).error(message, { count, error });
    });
  }

  /** Counts a response. Calls `log` only for the first response of a route in each minute. */
  count(route: string, error: unknown, log: () => void): void {
    if (this.#sampler.shouldLog(route, error)) log();
  }

  /** Logs the counts that are not logged yet. Called when the application closes. */
  flush(): void {
    this.#sampler.flush();
  }
}
