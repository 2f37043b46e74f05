import { InFlight } from "./in-flight.ts";

/** Lists of the waiting requests of an application, one for each timeout. */
export class InFlightLists {
  /** List of the requests with the application's own timeout, of all streams and of all WebSockets. */
  readonly main: InFlight;
  readonly #byLimit = new Map<number, InFlight>();

  constructor(limitMs: number) {
    this.main = this.of(limitMs);
  }

  /** Returns the list of a timeout in milliseconds. */
  of(limitMs: number): InFlight {
    let list = this.#byLimit.get(limitMs);
    if (list === undefined) this.#byLimit.set(limitMs, (list = new InFlight(limitMs)));
    return list;
  }

  /** Ends every WebSocket and every stream of events, at the beginning of the grace period. */
  endLasting(): void {
    this.main.endLasting();
  }

  /** Aborts every request at the end of the grace period. */
  abortAll(): void {
    for (const list of this.#byLimit.values()) list.abortAll();
  }
}
