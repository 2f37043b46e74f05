import type { AttributeValue, ReceivedRequest, RequestFault, RunningSpan } from "@kit/types";

import type { ObservedRoute } from "./observed-route.ts";
import type { TraceParent } from "./ids.ts";
import type { Call } from "./call.ts";

/** Number of elements in `times` after the phases: one, for the wall-clock time of arrival. */
const extraNumbers = 1;

/** Preallocated record of one request. Later requests reuse the record. */
export class Slot {
  /** Start times by phase number, in monotonic milliseconds. 0 if the request did not enter the phase. */
  readonly times: Float64Array;
  readonly #startTimeAt: number;
  sequence = 0;
  route: ObservedRoute | null = null;
  method = "";
  target = "";
  /** Current phase of the request. */
  phase = 0;
  /** Number of the phase that failed. -1 if none failed. */
  failed = -1;
  status = 0;
  isActive = false;
  /** Id of the request in logs. Generated on first use. */
  requestId: string | undefined;
  traceId: string | undefined;
  parent: TraceParent | null = null;
  traceState: string | null = null;
  /** True if the trace is sampled. Decided on first use. */
  isSampled: boolean | undefined;
  /** Prefix of the request's span ids. Generated on first use. */
  spanPrefix: string | undefined;
  fault: RequestFault | null = null;
  /**
   * Attributes of spans, as triples of phase number, name and value. A flat list is cheaper than a map of objects, and
   * most requests have few attributes.
   */
  attributes: AttributeValue[] | null = null;
  /** Outgoing calls during the request, if an observer reports calls. */
  calls: Call[] | null = null;
  /** True if outgoing calls can be assigned to this request. */
  observesCalls = false;
  /** Number of outgoing calls that were not recorded, because the request made too many. */
  droppedCalls = 0;
  received: ReceivedRequest | null = null;
  /** Span of the phase `spanPhase`, cached. */
  span: RunningSpan | null = null;
  spanPhase = -1;
  /** Neighbours in the pool's list of active requests. */
  previous: Slot | null = null;
  next: Slot | null = null;

  constructor(phases: number) {
    this.times = new Float64Array(phases + extraNumbers);
    this.#startTimeAt = phases;
  }

  /** Time of arrival in milliseconds since 1970, with a fraction. */
  get startTime(): number {
    return this.times[this.#startTimeAt]!;
  }

  set startTime(value: number) {
    this.times[this.#startTimeAt] = value;
  }

  /** Clears the data of the previous request. */
  clear(): void {
    this.sequence = 0;
    // A loop is faster than `fill` for so few elements.
    const { times } = this;
    for (let index = 0; index < times.length; index += 1) times[index] = 0;
    this.failed = -1;
    this.status = 0;
    this.requestId = undefined;
    this.traceId = undefined;
    this.parent = null;
    this.traceState = null;
    this.isSampled = undefined;
    this.spanPrefix = undefined;
    this.fault = null;
    this.attributes = null;
    this.calls = null;
    this.observesCalls = false;
    this.droppedCalls = 0;
    this.received = null;
    this.span = null;
    this.spanPhase = -1;
  }
}

/**
 * Pool of slots: a ring of finished requests, and one slot for each active request. The slot of an active request is
 * never reused, however many requests finish in the meantime, because slow requests are the most interesting.
 */
export class SlotPool {
  readonly capacity: number;
  readonly #phases: number;
  readonly #finished: Slot[];
  readonly #free: Slot[] = [];
  #finishedCount = 0;
  #activeCount = 0;
  #first: Slot | null = null;
  #last: Slot | null = null;

  constructor(capacity: number, phases: number) {
    this.capacity = capacity;
    this.#phases = phases;
    this.#finished = Array.from({ length: capacity }, () => new Slot(phases));
  }

  /** Number of requests that finished since the start. */
  get finishedCount(): number {
    return this.#finishedCount;
  }

  get activeCount(): number {
    return this.#activeCount;
  }

  /** Returns a slot for a new request. */
  acquire(): Slot {
    const slot = this.#free.pop() ?? new Slot(this.#phases);
    slot.isActive = true;
    slot.previous = this.#last;
    slot.next = null;
    if (this.#last === null) this.#first = slot;
    else this.#last.next = slot;
    this.#last = slot;
    this.#activeCount += 1;
    return slot;
  }

  /** Stores the slot of a finished request in place of the oldest slot. */
  finish(slot: Slot): void {
    const { previous, next } = slot;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    slot.previous = null;
    slot.next = null;
    slot.isActive = false;
    this.#activeCount -= 1;
    const at = this.#finishedCount % this.capacity;
    const oldest = this.#finished[at]!;
    this.#finished[at] = slot;
    this.#finishedCount += 1;
    // Limits the free slots. After a traffic peak there would be more than are needed.
    if (this.#free.length >= this.capacity) return;
    oldest.clear();
    this.#free.push(oldest);
  }

  /** Yields the slots of active requests, in the order of arrival. */
  *active(): Generator<Slot> {
    for (let slot = this.#first; slot !== null; slot = slot.next) yield slot;
  }

  /** Returns the slot of the finished request with that number, from 0. The slot must still be in the ring. */
  finishedAt(number: number): Slot {
    return this.#finished[number % this.capacity]!;
  }

  /** Yields the slots of the finished requests that the ring still contains, latest first. */
  *finished(): Generator<Slot> {
    const kept = Math.min(this.#finishedCount, this.capacity);
    for (let age = 1; age <= kept; age += 1)
      yield this.#finished[(this.#finishedCount - age) % this.capacity]!;
  }
}
