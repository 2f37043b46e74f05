import type { AttributeValue, CallStart, RunningCall } from "@kit/types";

import { messageForLog } from "../logging/database-error.ts";
import { boundedText } from "../logging/loggable.ts";
import { describeBriefly } from "../thrown.ts";
import { monotonicMs } from "./clock.ts";

/** Of one request; what is beyond that is counted. */
export const mostCalls = 100;

/** A call that a middleware or handler made, as it is noted. */
export class Call implements RunningCall {
  readonly start: CallStart;
  /** The phase whose span is its parent, unless `start` names another. */
  readonly phase: number;
  /** In monotonic milliseconds. */
  readonly startMs: number = monotonicMs();
  /** 0 while it lasts. */
  endMs = 0;
  /** Why it failed. */
  failure: string | undefined;
  /** Without a prototype: names may be anything. */
  readonly attributes: Record<string, AttributeValue> = Object.create(null) as Record<string, AttributeValue>;

  constructor(start: CallStart, phase: number) {
    this.start = start;
    this.phase = phase;
  }

  setAttribute(name: string, value: AttributeValue): void {
    if (this.endMs === 0) this.attributes[name] = value;
  }

  end(failure?: unknown): void {
    if (this.endMs !== 0) return;
    this.endMs = monotonicMs();
    // Not the values that libraries write into messages.
    if (failure !== undefined)
      this.failure = boundedText(messageForLog(failure, describeBriefly(failure).message));
  }
}
