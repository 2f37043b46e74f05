import type { RunningSpan } from "@kit/types";
import { type Attributes, type Exception, type Span, type SpanContext, TraceFlags } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";

import { plainValue } from "./plain-value.ts";

/**
 * The span of a middleware or handler as other instrumentation sees it: the parent of its spans. When it begins and ends is kit's to say; what is
 * not an attribute is left out.
 */
export class ActiveSpan implements Span {
  /** Of kit. */
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
    // Its phase ends it.
  }

  isRecording(): boolean {
    return this.running.isSampled;
  }
}
