import type { AttributeValue, CallStart, RunningCall, RunningSpan } from "@kit/types";

import { Call, mostCalls } from "./call.ts";
import * as read from "./slot-records.ts";
import type { Slot } from "./slot.ts";

/** Maximum number of attributes per request. Further attributes are ignored. */
const mostAttributes = 256;

/**
 * Span of the current phase of a request. The constructor copies the parts of the span's id, because the slot may
 * already record another request when the id is read.
 */
export class PhaseSpan implements RunningSpan {
  readonly traceId: string;
  readonly isSampled: boolean;
  readonly traceState: string | null;
  readonly #slot: Slot;
  readonly #phase: number;
  readonly #sequence: number;
  readonly #spanPrefix: string;
  readonly #names: readonly string[];
  readonly #keepsCalls: boolean;

  constructor(slot: Slot, isSampled: boolean, keepsCalls: boolean) {
    this.traceId = read.traceIdOfSlot(slot);
    this.isSampled = isSampled;
    this.traceState = slot.traceState;
    this.#slot = slot;
    this.#phase = slot.phase;
    this.#sequence = slot.sequence;
    this.#spanPrefix = read.spanPrefixOf(slot);
    this.#names = read.namesOfSlot(slot);
    this.#keepsCalls = keepsCalls;
  }

  get spanId(): string {
    return read.phaseSpanIdOf(this.#spanPrefix, this.#phase);
  }

  get name(): string {
    return this.#names[this.#phase]!;
  }

  setAttribute(name: string, value: AttributeValue): void {
    const slot = this.#slot;
    if (!this.#lasts) return;
    const list = (slot.attributes ??= []);
    for (let index = 0; index < list.length; index += 3) {
      if (list[index] === this.#phase && list[index + 1] === name) {
        list[index + 2] = value;
        return;
      }
    }
    if (list.length < 3 * mostAttributes) list.push(this.#phase, name, value);
  }

  begin(start: CallStart): RunningCall | undefined {
    if (!this.#keepsCalls || !this.#lasts) return undefined;
    const calls = (this.#slot.calls ??= []);
    if (calls.length >= mostCalls) {
      this.#slot.droppedCalls += 1;
      return undefined;
    }
    const call = new Call(start, this.#phase);
    calls.push(call);
    return call;
  }

  /** True while the request has no response and the slot has not been reused for another request. */
  get #lasts(): boolean {
    return this.#slot.sequence === this.#sequence && this.#slot.isActive;
  }
}
