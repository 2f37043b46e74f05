import { AsyncLocalStorage } from "node:async_hooks";

import type { RunningSpan } from "@kit/types";

/** Tracks which middleware or handler the current code belongs to, through asynchronous calls, as its span. */
export class CurrentSpan {
  readonly #storage = new AsyncLocalStorage<RunningSpan>();
  readonly #onUnknown: () => void;

  /** Creates the tracker. `onUnknown` is called for calls without a span. */
  constructor(onUnknown: () => void) {
    this.#onUnknown = onUnknown;
  }

  /** Runs a function within a span. The plugin passes it as `observe.calls`. */
  readonly run = (span: RunningSpan, call: () => unknown): unknown => this.#storage.run(span, call);

  /** Returns the span of the current code, or `undefined` outside of requests and in requests whose calls are not recorded. */
  get(): RunningSpan | undefined {
    return this.#storage.getStore();
  }

  /**
   * Returns the span to which an observed outgoing call belongs. Calls `onUnknown` if the call belongs to no
   * span.
   */
  ofCall(): RunningSpan | undefined {
    const span = this.get();
    if (span === undefined) this.#onUnknown();
    return span;
  }
}
