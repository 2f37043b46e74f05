import { AsyncLocalStorage } from "node:async_hooks";

import type { RunningSpan } from "@kit/types";

/** Knows, wherever the code runs that a middleware or handler has called, whose span it is. */
export class CurrentSpan {
  readonly #storage = new AsyncLocalStorage<RunningSpan>();
  readonly #onUnknown: () => void;

  /** `onUnknown` is told of calls that no span was found for. */
  constructor(onUnknown: () => void) {
    this.#onUnknown = onUnknown;
  }

  /** For `observe.calls`. */
  readonly run = (span: RunningSpan, call: () => unknown): unknown => this.#storage.run(span, call);

  /** Whose span a call belongs to; nothing outside of requests, and of one that was not expected to make any. */
  get(): RunningSpan | undefined {
    return this.#storage.getStore();
  }

  /** The same where a call was seen. */
  ofCall(): RunningSpan | undefined {
    const span = this.get();
    if (span === undefined) this.#onUnknown();
    return span;
  }
}
