/**
 * List of requests that wait for a promise, with one timer for their timeout.
 *
 * All requests of a list have the same timeout, so they time out in the order of their arrival. A linked list
 * in that order is sufficient, and one timer checks its first entries. Adding and removing an entry costs a request
 * four assignments. A timer for each request would cost more than the rest of the pipeline.
 */

/** Request that can be an entry of the list. Only the list changes the first three properties. */
export interface PendingRequest {
  previousPending: PendingRequest | null;
  nextPending: PendingRequest | null;
  /** Tick of the timer at which the request was added. */
  tick: number;
  /** Called when the request has exceeded its timeout. */
  timeOut(limitMs: number): void;
  /** Called when the application closes and the grace period ends. */
  abort(): void;
}

/** Request that lasts until one side ends it: its WebSocket or its stream of events is open. */
export interface LastingRequest {
  /** Called when the application begins to close. */
  goAway(): void;
  /** Called when the grace period ends. */
  abort(): void;
}

/**
 * Precision of the timeout: a request times out at most 1/20 of its limit late. The timer fires at most every
 * 5 ms and at least every 1,000 ms.
 */
const ticksOfLimit = 20;
const shortestTickMs = 5;
const longestTickMs = 1000;

/**
 * Requests that wait for their response and have the same timeout. Requests with an immediate response are never added.
 * An application has one list for its own timeout, and one for each other timeout of a route.
 */
export class InFlight {
  readonly #limitMs: number;
  readonly #tickMs: number;
  readonly #ticks: number;
  #first: PendingRequest | null = null;
  #last: PendingRequest | null = null;
  readonly #streams = new Set<Pick<PendingRequest, "abort">>();
  readonly #lasting = new Set<LastingRequest>();
  #isClosing = false;
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Creates an empty list. With a `limitMs` of 0 there is no timeout. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#tickMs = Math.min(longestTickMs, Math.max(shortestTickMs, Math.ceil(limitMs / ticksOfLimit)));
    // The tick in which a request is added has started already, so it does not count.
    this.#ticks = Math.ceil(limitMs / this.#tickMs) + 1;
  }

  /** Adds a request. The request stays in the list until it is removed or times out. */
  add(request: PendingRequest): void {
    request.tick = this.#tick;
    request.previousPending = this.#last;
    if (this.#last === null) this.#first = request;
    else this.#last.nextPending = request;
    this.#last = request;
    if (this.#timer === undefined && this.#limitMs > 0) this.#start();
  }

  /** Removes a request. */
  remove(request: PendingRequest): void {
    const { previousPending, nextPending } = request;
    if (previousPending === null) this.#first = nextPending;
    else previousPending.nextPending = nextPending;
    if (nextPending === null) this.#last = previousPending;
    else nextPending.previousPending = previousPending;
    request.previousPending = null;
    request.nextPending = null;
  }

  /** Adds a request whose body is being sent. Such a request has no timeout. */
  addStream(request: Pick<PendingRequest, "abort">): void {
    this.#streams.add(request);
  }

  /** Adds a request that lasts until one side ends it. Such a request has no timeout. Ends it if the application closes. */
  addLasting(request: LastingRequest): void {
    this.#lasting.add(request);
    if (this.#isClosing) request.goAway();
  }

  /** Removes a request that {@link InFlight.addLasting} added. */
  removeLasting(request: LastingRequest): void {
    this.#lasting.delete(request);
  }

  /** Ends every WebSocket and every stream of events, at the beginning of the grace period. */
  endLasting(): void {
    this.#isClosing = true;
    for (const request of this.#lasting) request.goAway();
  }

  /** Removes a request that {@link InFlight.addStream} added. */
  removeStream(request: Pick<PendingRequest, "abort">): void {
    this.#streams.delete(request);
  }

  /**
   * Aborts every request at the end of the grace period, oldest first. Each request removes itself from the list.
   */
  abortAll(): void {
    for (let request = this.#first; request !== null; request = this.#first) {
      request.abort();
      if (this.#first === request) this.remove(request);
    }
    for (const request of this.#streams) request.abort();
    for (const request of this.#lasting) request.abort();
  }

  #start(): void {
    this.#timer = setInterval(() => this.#onTick(), this.#tickMs);
    // The timer does not keep the process alive.
    this.#timer.unref();
  }

  #onTick(): void {
    this.#tick += 1;
    for (let request = this.#first; request !== null; request = this.#first) {
      if (this.#tick - request.tick < this.#ticks) return;
      request.timeOut(this.#limitMs);
      if (this.#first === request) this.remove(request);
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
