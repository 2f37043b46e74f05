import type { AttributeValue, CallStart, RunningCall } from "@kit/types";

import { messageForLog } from "../logging/database-error.ts";
import { boundedText } from "../logging/loggable.ts";
import { describeWithoutStack } from "../thrown.ts";
import { monotonicMs } from "./clock.ts";

/** Maximum number of recorded calls per request. Further calls are only counted. */
export const mostCalls = 100;

/** Outgoing call, such as a query, that a middleware or handler makes. Recorded as a span. */
export class Call implements RunningCall {
  readonly start: CallStart;
  /** Number of the phase that made the call. Its span is the parent, unless `start` specifies another parent. */
  readonly phase: number;
  /** Start time in monotonic milliseconds. */
  readonly startMs: number = monotonicMs();
  /** End time in monotonic milliseconds. 0 while the call is in progress. */
  endMs = 0;
  /** Message of the error if the call failed. */
  failure: string | undefined;
  /** Attributes of the span. The object has no prototype, because attributes may have any name. */
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
    // Hides the values that libraries write into error messages.
    if (failure !== undefined)
      this.failure = boundedText(messageForLog(failure, describeWithoutStack(failure).message));
  }
}
