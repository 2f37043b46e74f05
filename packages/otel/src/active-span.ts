import type { RunningSpan } from "@kit/types";
import { type Attributes, type Exception, type Span, type SpanContext, TraceFlags } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";

import { plainValue } from "./plain-value.ts";

/**
 * OpenTelemetry span of a middleware or handler, which other instrumentation uses as the parent of its spans. Only attributes are recorded;
 * events, links, and changes of status and name are ignored. kit itself starts and ends the span.
 */
export class ActiveSpan implements Span {
  /** Span that kit records for the same middleware or handler. */
  readonly running: RunningSpan;
  readonly #context: SpanContext;

  constructor(span: RunningSpan) {
    const { traceId, spanId, isSampled, traceState } = span;
    this.running = span;
    this.#context = {
      traceId,
      spanId,
      traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
      ...(traceState !== null && { traceState: new TraceState(traceState) }),
    };
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  setAttribute(name: string, value: unknown): this {
    const plain = plainValue(value);
    if (plain !== undefined) this.running.setAttribute(name, plain);
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const [name, value] of Object.entries(attributes)) this.setAttribute(name, value);
    return this;
  }

  recordException(exception: Exception): void {
    const message = typeof exception === "string" ? exception : exception.message;
    if (message !== undefined) this.running.setAttribute("exception.message", message);
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  setStatus(): this {
    return this;
  }

  updateName(): this {
    return this;
  }

  end(): void {
    // Does nothing, because kit ends the span itself.
  }

  isRecording(): boolean {
    return this.running.isSampled;
  }
}
