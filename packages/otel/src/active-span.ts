import type { RunningSpan } from "@kit/types";
import { type Attributes, type Exception, type Span, type SpanContext, TraceFlags } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";

import { plainValue } from "./plain-value.ts";

/**
 * OpenTelemetry span of a middleware or handler. Other instrumentation uses it as the parent of its spans. kit itself starts and ends the
 * span; events, links, status and name changes are ignored, only attributes are recorded.
 */
export class ActiveSpan implements Span {
  /** Span of kit. */
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
    // kit ends the span at the end of its phase.
  }

  isRecording(): boolean {
    return this.running.isSampled;
  }
}
