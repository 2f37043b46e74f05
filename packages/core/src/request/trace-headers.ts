import type { RunningSpan } from "@kit/types";

import { randomSpanId } from "../observe/ids.ts";

/** Headers of W3C Trace Context for a request to another service. */
export interface TraceHeaders {
  /** Version, trace id, span id and sampling flag. */
  readonly traceparent: string;
  /** Header that the client sent with its `traceparent`, passed on unchanged. */
  readonly tracestate?: string;
}

/** Returns the headers for requests that are made within a span. */
export function traceHeadersOf(
  span: Pick<RunningSpan, "traceId" | "spanId" | "isSampled" | "traceState">,
): TraceHeaders {
  const { traceId, spanId, isSampled, traceState } = span;
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
  return traceState === null ? { traceparent } : { traceparent, tracestate: traceState };
}

/**
 * Returns the headers for requests that are made while no span is recorded. With these headers, the next span
 * is a child of the client's span.
 */
export function traceHeadersWithoutSpan(
  traceId: string,
  parent: Pick<RunningSpan, "spanId" | "isSampled"> | null | undefined,
  traceState: string | null | undefined,
): TraceHeaders {
  const { spanId, isSampled } = parent ?? { spanId: randomSpanId(), isSampled: false };
  return traceHeadersOf({ traceId, spanId, isSampled, traceState: (parent && traceState) ?? null });
}
