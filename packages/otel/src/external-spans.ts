import type { RunningCall, RunningSpan } from "@kit/types";
import { type Context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { ReadableSpan, Span } from "@opentelemetry/sdk-trace";

import { ActiveSpan } from "./active-span.ts";
import { plainValue } from "./plain-value.ts";

interface RecordedSpan {
  readonly running: RunningSpan;
  readonly call: RunningCall;
}

/**
 * Records the spans that other instrumentation creates within kit's spans, so that the debug sidecar shows them. The instrumentation itself
 * exports them to the collector.
 */
export class ExternalSpans {
  readonly #recorded = new WeakMap<object, RecordedSpan>();

  begin(span: Span, context: Context): void {
    const parent = trace.getSpan(context);
    if (parent === undefined) return;
    const running = parent instanceof ActiveSpan ? parent.running : this.#recorded.get(parent)?.running;
    const call = running?.begin({
      name: span.name,
      source: span.instrumentationScope.name,
      kind: span.kind === SpanKind.INTERNAL ? "internal" : "client",
      spanId: span.spanContext().spanId,
      parentSpanId: parent.spanContext().spanId,
    });
    if (call !== undefined) this.#recorded.set(span, { running: running!, call });
  }

  end(span: ReadableSpan): void {
    const recorded = this.#recorded.get(span);
    if (recorded === undefined) return;
    for (const [name, value] of Object.entries(span.attributes)) {
      const plain = plainValue(value);
      if (plain !== undefined) recorded.call.setAttribute(name, plain);
    }
    const { code, message } = span.status;
    recorded.call.end(code === SpanStatusCode.ERROR ? new Error(message ?? "It failed") : undefined);
  }
}
