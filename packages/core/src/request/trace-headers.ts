import type { RunningSpan } from "@kit/types";

/** Headers of W3C Trace Context, for a request to another service. */
export interface TraceHeaders {
  readonly traceparent: string;
  /** What the client sent beside its `traceparent`, passed on as it is. */
  readonly tracestate?: string;
}

/** The headers of requests that a span makes. */
export function traceHeadersOf(
  span: Pick<RunningSpan, "traceId" | "spanId" | "isSampled" | "traceState">,
): TraceHeaders {
  const { traceId, spanId, isSampled, traceState } = span;
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
  return traceState === null ? { traceparent } : { traceparent, tracestate: traceState };
}
