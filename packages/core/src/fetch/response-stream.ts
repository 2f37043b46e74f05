import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

/** Number of bytes of a response body that may wait to be read. A writer that has passed the limit pauses. */
const highWaterMark = 64 * 1024;

/** Writer of a streamed response whose body is read as a web stream. */
export class FetchResponseWriter implements ResponseWriter {
  /** Stream of the written bytes. */
  readonly body: ReadableStream<Uint8Array>;
  readonly #events: ResponseStreamEvents;
  readonly #onEnd: () => void;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isOver = false;
  #isWaiting = false;

  /** `onEnd` is called once, when the body is complete or has failed. */
  constructor(events: ResponseStreamEvents, onEnd: () => void) {
    this.#events = events;
    this.#onEnd = onEnd;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#drained(),
        cancel: () => this.abort(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark }),
    );
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver) return false;
    // The reader may change what it receives, and other readers may receive the same chunk.
    this.#controller.enqueue(new Uint8Array(chunk));
    this.#isWaiting = this.#controller.desiredSize! <= 0;
    return !this.#isWaiting;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.close();
    this.#onEnd();
  }

  destroy(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.error(new Error("The response body failed; the log of the application has the reason"));
    this.#onEnd();
  }

  /** Stops the writer because the client reads no more. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The caller may be inside of a method of this writer, during which no event may be called.
    queueMicrotask(() => this.#events.abort());
    this.#onEnd();
  }

  #drained(): void {
    if (this.#isOver || !this.#isWaiting) return;
    this.#isWaiting = false;
    // The stream may call this function inside of `write`, during which no event may be called.
    queueMicrotask(() => this.#events.drain());
  }
}
