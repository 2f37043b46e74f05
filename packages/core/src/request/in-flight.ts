/**
 * The requests that wait for a promise, and the one clock that ends those that wait too long.
 *
 * All requests of an application may take equally long, so they time out in the order in which they came: a linked list
 * in that order is all there is to keep, and one timer looks at its beginning. Entering and leaving it costs a request four
 * assignments; a timer of its own would cost more than the rest of the pipeline.
 */

/** A request that can be kept in the list; the links are the list's. */
export interface Waiting {
  previousWaiting: Waiting | null;
  nextWaiting: Waiting | null;
  /** The clock's tick at which it came. */
  since: number;
  /** It has waited too long. */
  timeOut(limitMs: number): void;
  /** The application closes and waits no longer. */
  giveUp(): void;
}

/** How exact the limit is: a request ends at most this share of the limit late, but never is it looked at more often than each 5 ms. */
const ticksOfLimit = 20;
const shortestTickMs = 5;
const longestTickMs = 1000;

/** The requests of an application that are not answered yet, but for those that are answered at once. */
export class InFlight {
  readonly #limitMs: number;
  readonly #tickMs: number;
  readonly #ticks: number;
  #first: Waiting | null = null;
  #last: Waiting | null = null;
  readonly #streams = new Set<Pick<Waiting, "giveUp">>();
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `limitMs` of 0: requests may take as long as they like. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#tickMs = Math.min(longestTickMs, Math.max(shortestTickMs, Math.ceil(limitMs / ticksOfLimit)));
    // The tick in which a request comes has begun already, and does not count.
    this.#ticks = Math.ceil(limitMs / this.#tickMs) + 1;
  }

  /** Keeps a request until it is removed or has waited too long. */
  add(request: Waiting): void {
    request.since = this.#tick;
    request.previousWaiting = this.#last;
    if (this.#last === null) this.#first = request;
    else this.#last.nextWaiting = request;
    this.#last = request;
    if (this.#timer === undefined && this.#limitMs > 0) this.#start();
  }

  /** Forgets a request that was added. */
  remove(request: Waiting): void {
    const { previousWaiting, nextWaiting } = request;
    if (previousWaiting === null) this.#first = nextWaiting;
    else previousWaiting.nextWaiting = nextWaiting;
    if (nextWaiting === null) this.#last = previousWaiting;
    else nextWaiting.previousWaiting = previousWaiting;
    request.previousWaiting = null;
    request.nextWaiting = null;
  }

  /** Keeps a request whose body is being sent; it may take as long as it likes. */
  addStream(request: Pick<Waiting, "giveUp">): void {
    this.#streams.add(request);
  }

  /** Forgets a request that was added so. */
  removeStream(request: Pick<Waiting, "giveUp">): void {
    this.#streams.delete(request);
  }

  /** Tells every request that the application waits no longer, the oldest first. Each removes itself. */
  giveUp(): void {
    for (let request = this.#first; request !== null; request = this.#first) {
      request.giveUp();
      if (this.#first === request) this.remove(request);
    }
    for (const request of this.#streams) request.giveUp();
  }

  #start(): void {
    this.#timer = setInterval(() => this.#onTick(), this.#tickMs);
    // What still runs keeps the process, not the clock.
    this.#timer.unref();
  }

  #onTick(): void {
    this.#tick += 1;
    for (let request = this.#first; request !== null; request = this.#first) {
      if (this.#tick - request.since < this.#ticks) return;
      request.timeOut(this.#limitMs);
      if (this.#first === request) this.remove(request);
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
