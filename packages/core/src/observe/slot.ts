import type { AttributeValue, ReceivedRequest, RequestFault, RunningSpan } from "@kit/types";

import type { ExecutableRoute } from "../request/executable-route.ts";
import type { TraceParent } from "../request/ids.ts";
import type { Call } from "./call.ts";

/** Place of the time of day at which the request came, behind its phases. */
const extraNumbers = 1;

/** What is noted of one request. There before the request is, and used again for others. */
export class Slot {
  /** By phase number: when it began, in monotonic milliseconds; 0 where the request did not pass it. */
  readonly times: Float64Array;
  readonly #startTimeAt: number;
  sequence = 0;
  route: ExecutableRoute | null = null;
  method = "";
  target = "";
  /** The phase that the request is in. */
  phase = 0;
  /** The phase that failed; -1: none. */
  failed = -1;
  status = 0;
  isActive = false;
  /** Not drawn while nobody asked. */
  requestId: string | undefined;
  traceId: string | undefined;
  parent: TraceParent | null = null;
  traceState: string | null = null;
  /** Undefined while nobody asked. */
  isSampled: boolean | undefined;
  /** What its span ids begin with; not drawn while nobody asked. */
  spanPrefix: string | undefined;
  fault: RequestFault | null = null;
  /** Of spans, three after each other: phase number, name, value. A list costs less than a map of objects, and few are set. */
  attributes: AttributeValue[] | null = null;
  /** Calls to something else that were made meanwhile, where somebody tells of them. */
  calls: Call[] | null = null;
  /** Whether its calls can be told from others'. */
  isWatched = false;
  /** How many more there were than are kept. */
  leftOutCalls = 0;
  received: ReceivedRequest | null = null;
  /** Of the phase that it was last asked in. */
  span: RunningSpan | null = null;
  spanPhase = -1;
  /** The links are the pool's. */
  previous: Slot | null = null;
  next: Slot | null = null;

  constructor(phases: number) {
    this.times = new Float64Array(phases + extraNumbers);
    this.#startTimeAt = phases;
  }

  /** Milliseconds since 1970, with a fraction. */
  get startTime(): number {
    return this.times[this.#startTimeAt]!;
  }

  set startTime(value: number) {
    this.times[this.#startTimeAt] = value;
  }

  /** Forgets the request before. */
  clear(): void {
    this.sequence = 0;
    // There are few; for them a call of `fill` costs more.
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
    this.isWatched = false;
    this.leftOutCalls = 0;
    this.received = null;
    this.span = null;
    this.spanPhase = -1;
  }
}

/**
 * Slots: as many finished ones as are kept, in a ring, and one for each request under way. A slot is never taken from a request that is
 * under way, however many pass it by: the slow ones are those that are looked for.
 */
export class SlotPool {
  readonly capacity: number;
  readonly #phases: number;
  readonly #finished: Slot[];
  readonly #free: Slot[] = [];
  #answeredCount = 0;
  #activeCount = 0;
  #first: Slot | null = null;
  #last: Slot | null = null;

  constructor(capacity: number, phases: number) {
    this.capacity = capacity;
    this.#phases = phases;
    this.#finished = Array.from({ length: capacity }, () => new Slot(phases));
  }

  /** How many were ever finished. */
  get answeredCount(): number {
    return this.#answeredCount;
  }

  get activeCount(): number {
    return this.#activeCount;
  }

  /** A slot for a request that begins. */
  take(): Slot {
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

  /** Keeps the slot of a request that ended, in place of the oldest. */
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
    const at = this.#answeredCount % this.capacity;
    const oldest = this.#finished[at]!;
    this.#finished[at] = slot;
    this.#answeredCount += 1;
    // After a rush there are more than are ever needed again.
    if (this.#free.length >= this.capacity) return;
    oldest.clear();
    this.#free.push(oldest);
  }

  /** Those under way, in the order of their arrival. */
  *active(): Generator<Slot> {
    for (let slot = this.#first; slot !== null; slot = slot.next) yield slot;
  }

  /** The finished one of that number, from 0; it must be kept still. */
  finishedAt(number: number): Slot {
    return this.#finished[number % this.capacity]!;
  }

  /** Those that are kept, the latest first. */
  *finished(): Generator<Slot> {
    const kept = Math.min(this.#answeredCount, this.capacity);
    for (let age = 1; age <= kept; age += 1)
      yield this.#finished[(this.#answeredCount - age) % this.capacity]!;
  }
}
