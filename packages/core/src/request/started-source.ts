import type { OpenSource } from "./raw-response.ts";

/**
 * Maximum time in milliseconds that the head of a response waits for the first chunk of its body. The time is enough for
 * a query of a database. Clients that wait for the head of a quiet stream notice no delay.
 */
export const headDelayMs = 250;

/** Source of a response body whose first chunk is read before the head of the response is sent. */
export class StartedSource implements OpenSource {
  readonly #source: OpenSource;
  #first: Promise<IteratorResult<unknown, unknown>> | undefined;

  /** Starts to read the first chunk. */
  constructor(source: OpenSource) {
    this.#source = source;
    // A source may also throw before it returns a promise.
    this.#first = Promise.resolve().then(() => source.next());
  }

  /**
   * Waits for the first chunk, at most {@link headDelayMs}. Resolves to false if the chunk is not known by then. Rejects if
   * the source fails before.
   */
  began(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, headDelayMs, false);
    const first = this.#first!.then(() => true);
    return Promise.race([first, promise]).finally(() => clearTimeout(timer));
  }

  next(): Promise<IteratorResult<unknown, unknown>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#source.next();
  }

  cancel(reason: unknown): void {
    this.#source.cancel(reason);
  }
}
