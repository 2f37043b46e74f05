import type { ServerResponse } from "node:http";

import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

/**
 * Writes the body of a streamed response whose status and headers are set. The head is sent immediately, before the first chunk.
 */
export class NodeResponseWriter implements ResponseWriter {
  readonly #response: ServerResponse;
  #isOver = false;

  constructor(response: ServerResponse, events: ResponseStreamEvents) {
    this.#response = response;
    const abort = (): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      events.abort();
    };
    // Ignore the error: `close` follows it, and no further data can be sent.
    response.on("error", () => undefined);
    if (response.destroyed) {
      queueMicrotask(abort);
      return;
    }
    response.once("close", abort).on("drain", () => {
      if (!this.#isOver) events.drain();
    });
    response.flushHeaders();
  }

  write(chunk: Uint8Array): boolean {
    // If the response is destroyed, its `close` event calls `abort`.
    return !this.#isOver && !this.#response.destroyed && this.#response.write(chunk);
  }

  end(): void {
    this.#isOver = true;
    this.#response.end();
  }

  destroy(): void {
    this.#isOver = true;
    this.#response.destroy();
  }
}

/**
 * Returns a writer for a response that cannot be sent, because the server has already refused the request. Calls
 * `events.abort` soon.
 *
 * @example
 * ```ts
 * if (isRefused) return abortedWriter(events);
 * ```
 */
export function abortedWriter(events: ResponseStreamEvents): ResponseWriter {
  queueMicrotask(() => events.abort());
  return { write: () => false, end: () => undefined, destroy: () => undefined };
}
