import type {
  FinishedRequestView,
  CallObserver,
  LifecycleTrace,
  RequestFault,
  RequestHistory,
  RequestObserver,
  RequestRecord,
  RunningSpan,
  ServerExchange,
  StreamLimits,
  StreamRecord,
} from "@kit/types";

import type { Redactor } from "../logging/redact.ts";
import type { ObservedRoute } from "./observed-route.ts";
import { readTraceparent } from "./ids.ts";
import { DayClock, monotonicMs } from "./clock.ts";
import * as phases from "./phases.ts";
import { PhaseSpan } from "./phase-span.ts";
import * as read from "./slot-records.ts";
import { type Slot, SlotPool } from "./slot.ts";
import { type StreamLog, Streams } from "./streams.ts";
import { shownTarget } from "./target.ts";

/** Settings of a recorder, and the functions that it calls. */
export interface RecorderParts {
  readonly observers: readonly RequestObserver[];
  /** Listeners that receive the phases of every request. */
  readonly onLifecycle: readonly ((trace: LifecycleTrace) => void)[];
  readonly routes: readonly ObservedRoute[];
  readonly serverAdapter: string;
  readonly redactor: Redactor;
  /** Logs the failure of a plugin. */
  readonly onFailure: (error: unknown) => void;
}

const defaultCapacity = 256;
const wakeEveryMs = 100;

/** Records requests for the observers of plugins. Created only if there is an observer. */
export class Recorder implements RequestHistory {
  /** True if `ctx.span` is available. */
  readonly hasSpans: boolean;
  readonly #calls: CallObserver | undefined;
  readonly #parts: RecorderParts;
  readonly #pool: SlotPool;
  readonly #clock = new DayClock();
  readonly #routeNumbers: ReadonlyMap<ObservedRoute, number>;
  readonly #onResponse: readonly ((view: FinishedRequestView) => void)[];
  readonly #around: readonly NonNullable<RequestObserver["around"]>[];
  readonly #isSampled: RequestObserver["isSampled"];
  /** Maximum size of a request body to record, in bytes. -1 if neither headers nor bodies are recorded. */
  readonly #receivedBytes: number;
  /** Streams for observers. `null` if no observer reads them. */
  readonly #streams: Streams | null;
  readonly #view: View;
  #sequence = 0;
  #nextWake = 0;

  constructor(parts: RecorderParts) {
    const { observers, routes } = parts;
    this.#parts = parts;
    const capacity = Math.max(0, ...observers.map((observer) => observer.capacity ?? defaultCapacity));
    const longest = Math.max(0, ...routes.map(({ chain }) => chain.length));
    // A ring of one slot still holds the last request when the next one begins.
    this.#pool = new SlotPool(Math.max(1, capacity), phases.firstMiddleware + longest);
    this.#routeNumbers = new Map(routes.map((route, index) => [route, index]));
    this.hasSpans = observers.some(({ spans }) => spans === true);
    this.#calls = observers.find(({ calls }) => calls !== undefined)?.calls;
    this.#onResponse = bound(observers, "onResponse");
    this.#around = bound(observers, "around");
    [this.#isSampled] = bound(observers, "isSampled");
    this.#receivedBytes = Math.max(
      -1,
      ...observers.map(({ captureRequests }) => captureRequests?.bodyBytes ?? -1),
    );
    const limits = observers.flatMap(({ streams }) => (streams === undefined ? [] : [streams]));
    this.#streams = limits.length === 0 ? null : new Streams(greatestOf(limits));
    this.#view = new View(this);
  }

  get activeCount(): number {
    return this.#pool.activeCount;
  }

  get finishedCount(): number {
    return this.#pool.finishedCount;
  }

  get capacity(): number {
    return this.#pool.capacity;
  }

  /** Returns true if middleware and handlers of a request must run inside of functions of the observers. */
  wraps(slot: Slot): boolean {
    return slot.observesCalls || this.#around.length > 0;
  }

  active(): RequestRecord[] {
    return [...this.#pool.active()].map((slot) => this.recordOf(slot));
  }

  recent(options: { readonly limit?: number; readonly after?: number } = {}): RequestRecord[] {
    const { limit = 100, after = 0 } = options;
    const found: RequestRecord[] = [];
    for (const slot of this.#pool.finished()) {
      if (found.length >= limit) break;
      if (slot.sequence > after) found.push(this.recordOf(slot));
    }
    return found;
  }

  finished(
    from: number,
    options: { readonly limit: number; readonly sampled?: boolean },
  ): { records: RequestRecord[]; next: number; missed: number; left: number } {
    const { limit, sampled = false } = options;
    const oldest = Math.max(0, this.finishedCount - this.capacity);
    const records: RequestRecord[] = [];
    let next = Math.max(from, oldest);
    for (; next < this.finishedCount && records.length < limit; next += 1) {
      const slot = this.#pool.finishedAt(next);
      if (!sampled || this.isSampled(slot)) records.push(this.recordOf(slot));
    }
    let left = 0;
    for (let rest = next; rest < this.finishedCount; rest += 1)
      if (!sampled || this.isSampled(this.#pool.finishedAt(rest))) left += 1;
    return { records, next, missed: Math.max(0, oldest - from), left };
  }

  unassignedCall(): void {
    const now = monotonicMs();
    // Code outside of requests may make many calls, which belong to no request, so this runs at most every 100 ms.
    if (now < this.#nextWake) return;
    this.#nextWake = now + wakeEveryMs;
    for (const slot of this.#pool.active()) if (!slot.observesCalls) slot.route?.callWatch.resume();
  }

  find(requestId: string): RequestRecord | undefined {
    for (const slots of [this.#pool.active(), this.#pool.finished()]) {
      for (const slot of slots) if (slot.requestId === requestId) return this.recordOf(slot);
    }
    return undefined;
  }

  streams(): StreamRecord[] {
    return this.#streams?.records() ?? [];
  }

  get missedStreams(): number {
    return this.#streams?.missed ?? 0;
  }

  /** Returns the log of the stream that a request opens. `null` if no observer reads streams. */
  streamOf(slot: Slot, kind: StreamRecord["kind"], protocol: string | null): StreamLog | null {
    if (this.#streams === null) return null;
    return this.#streams.log({
      requestId: read.requestIdOfSlot(slot),
      traceId: read.traceIdOfSlot(slot),
      kind,
      protocol,
      route: slot.route!.compiled.ref,
      target: shownTarget(slot, this.#parts.redactor),
    });
  }

  /** Records the arrival of a request. */
  begin(exchange: ServerExchange, route: ObservedRoute | null): Slot {
    const slot = this.#pool.acquire();
    const now = monotonicMs();
    slot.times[phases.received] = now;
    slot.times[phases.normalize] = now;
    slot.startTime = this.#clock.at(now);
    this.#sequence += 1;
    slot.sequence = this.#sequence;
    slot.route = route;
    slot.method = exchange.method;
    slot.target = exchange.target;
    slot.phase = phases.normalize;
    if (this.#calls !== undefined && route !== null)
      slot.observesCalls = this.#calls.always === true || route.callWatch.next();
    const parent = readTraceparent(exchange.header("traceparent"));
    if (parent !== undefined) {
      slot.parent = parent;
      slot.traceState = exchange.header("tracestate") ?? null;
    }
    if (this.#receivedBytes >= 0) slot.received = readReceived(exchange, this.#receivedBytes);
    return slot;
  }

  /**
   * Records that a request enters a phase. The first phase after the arrival gets the time of the arrival,
   * because reading the clock is the most expensive part of recording, and only preparations of kit happen
   * between the two.
   */
  enter(slot: Slot, phase: number): void {
    const { times } = slot;
    const isFirst = slot.phase === phases.normalize && phase !== phases.write;
    times[phase] = isFirst ? times[phases.normalize]! : monotonicMs();
    slot.phase = phase;
  }

  /** Records that a request failed in its current phase. */
  fail(slot: Slot, fault: RequestFault): void {
    slot.failed = slot.phase;
    slot.fault = fault;
  }

  /** Records the end of a request, and notifies the observers. */
  finish(slot: Slot, status: number): void {
    this.enter(slot, phases.response);
    slot.status = status;
    if (slot.observesCalls) slot.route!.callWatch.recordRequest(slot.calls !== null);
    this.#pool.finish(slot);
    if (this.#onResponse.length > 0) this.#notifyResponse(this.#view.of(slot));
    const { onLifecycle } = this.#parts;
    if (onLifecycle.length === 0) return;
    const trace = this.traceOf(slot);
    for (const listener of onLifecycle) this.#tell(() => listener(trace));
  }

  /** Runs a middleware or handler inside of the `around` functions of the observers. */
  around(slot: Slot, run: () => unknown): unknown {
    const span = this.spanOf(slot);
    const { observesCalls } = slot;
    if (observesCalls && this.#around.length === 0) return this.#calls!.around(span, run);
    let call = observesCalls ? () => this.#calls!.around(span, run) : run;
    for (const wrap of this.#around) {
      const inner = call;
      call = () => wrap(span, inner);
    }
    return call();
  }

  /** Returns the span of the current phase of a request. */
  spanOf(slot: Slot): RunningSpan {
    if (slot.span === null || slot.spanPhase !== slot.phase) {
      slot.span = new PhaseSpan(slot, this.isSampled(slot), this.#calls !== undefined);
      slot.spanPhase = slot.phase;
    }
    return slot.span;
  }

  /** Returns true if the request's trace is sampled. */
  isSampled(slot: Slot): boolean {
    if (slot.isSampled !== undefined) return slot.isSampled;
    const isParentSampled = slot.parent?.isSampled;
    const decide = this.#isSampled;
    slot.isSampled = isParentSampled ?? false;
    if (decide !== undefined) {
      const { method } = slot;
      const question = {
        traceId: read.traceIdOfSlot(slot),
        isParentSampled,
        method,
        route: slot.route?.compiled.ref ?? null,
      };
      this.#tell(() => (slot.isSampled = decide(question)));
    }
    return slot.isSampled;
  }

  recordOf(slot: Slot): RequestRecord {
    return read.recordOf(slot, this.#parts.redactor, this.isSampled(slot));
  }

  traceOf(slot: Slot): LifecycleTrace {
    return read.traceOf(slot, this.#parts.serverAdapter);
  }

  routeNumberOf({ route }: Slot): number {
    return route === null ? -1 : (this.#routeNumbers.get(route) ?? -1);
  }

  /** Calls `onResponse` of each observer. Does not use `#tell`, because closures cost more than most observers. */
  #notifyResponse(view: View): void {
    for (const onResponse of this.#onResponse) {
      try {
        onResponse(view);
      } catch (error) {
        this.#parts.onFailure(error);
      }
    }
  }

  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#parts.onFailure(error);
    }
  }
}

/** Returns limits that satisfy all observers. */
function greatestOf(all: readonly StreamLimits[]): StreamLimits {
  return {
    count: Math.max(...all.map(({ count }) => count)),
    messages: Math.max(...all.map(({ messages }) => messages)),
    messageLength: Math.max(...all.map(({ messageLength }) => messageLength)),
  };
}

function bound<THook extends "around" | "isSampled" | "onResponse">(
  observers: readonly RequestObserver[],
  hook: THook,
): NonNullable<RequestObserver[THook]>[] {
  return observers.flatMap((observer) => {
    const call = observer[hook];
    return call === undefined ? [] : [call.bind(observer) as NonNullable<RequestObserver[THook]>];
  });
}

/** View of a finished request. One object is reused for all requests, so that observing allocates no memory. */
class View implements FinishedRequestView {
  readonly #recorder: Recorder;
  #slot!: Slot;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  of(slot: Slot): this {
    this.#slot = slot;
    return this;
  }

  get sequence(): number {
    return this.#slot.sequence;
  }

  get routeNumber(): number {
    return this.#recorder.routeNumberOf(this.#slot);
  }

  get route(): string | null {
    return this.#slot.route?.compiled.ref ?? null;
  }

  get method(): string {
    return this.#slot.method;
  }

  get status(): number {
    return this.#slot.status;
  }

  get startTime(): number {
    return this.#slot.startTime;
  }

  get durationMs(): number {
    return read.durationOf(this.#slot);
  }

  get isSampled(): boolean {
    return this.#recorder.isSampled(this.#slot);
  }

  record(): RequestRecord {
    return this.#recorder.recordOf(this.#slot);
  }

  lifecycle(): LifecycleTrace {
    return this.#recorder.traceOf(this.#slot);
  }
}

function readReceived(exchange: ServerExchange, greatestBody: number): Slot["received"] {
  const { bodyLength } = exchange;
  const isKept =
    bodyLength > 0 &&
    bodyLength <= greatestBody &&
    !exchange.bodyTooLarge &&
    // A body in chunks belongs to the handler.
    exchange.readBody === undefined;
  return {
    headers: exchange.headers(),
    body: isKept ? (exchange.bodyText() ?? null) : null,
    bodyLength,
  };
}
