import type { RequestRecord, SpanRecord } from "@kit/types";
import { type SpanContext, SpanKind, type SpanStatus, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";

import { scope } from "./scope.ts";
import { hrTimeOf } from "./time.ts";

const statuses: Readonly<Record<SpanRecord["status"], SpanStatusCode>> = {
  ok: SpanStatusCode.OK,
  error: SpanStatusCode.ERROR,
  unset: SpanStatusCode.UNSET,
};

/** Converts the spans of a request for exporters. */
export function readableSpans(record: RequestRecord, resource: Resource): ReadableSpan[] {
  const traceState = record.traceState === null ? {} : { traceState: new TraceState(record.traceState) };
  // Spans with a `source` come from other instrumentation, which exports them itself.
  const own = record.spans.filter(({ source }) => source === undefined);
  return own.map((span) => readableSpan(span, record, resource, traceState));
}

function readableSpan(
  span: SpanRecord,
  { startTime, durationMs: requestMs }: RequestRecord,
  resource: Resource,
  traceState: Pick<SpanContext, "traceState">,
): ReadableSpan {
  const { traceId, spanId, parentSpanId, name, kind, offsetMs, attributes } = span;
  const durationMs = span.durationMs ?? requestMs - offsetMs;
  const spanContext: SpanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, ...traceState };
  const isRoot = kind === "server";
  return {
    name,
    kind: isRoot ? SpanKind.SERVER : SpanKind.INTERNAL,
    spanContext: () => spanContext,
    ...(parentSpanId !== undefined && {
      parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED, isRemote: isRoot },
    }),
    startTime: hrTimeOf(startTime + offsetMs),
    endTime: hrTimeOf(startTime + offsetMs + durationMs),
    duration: hrTimeOf(durationMs),
    ended: true,
    status: statusOf(span),
    attributes,
    links: [],
    events: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function statusOf({ status, attributes }: SpanRecord): SpanStatus {
  const message = attributes["error.message"];
  return { code: statuses[status], ...(status === "error" && typeof message === "string" && { message }) };
}
