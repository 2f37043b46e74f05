import type { ServerResponse } from "node:http";

import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

/** Writes the body of an answer whose head is set; the head is sent at once. */
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
    // What went wrong is of no interest: it closes after an error, and nobody can be told any more.
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
    // Where it is gone, `abort` is on its way.
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
