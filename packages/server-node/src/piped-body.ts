import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";

import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

/**
 * Number of bytes of a response that may wait for the framework before the writer has to wait. No bytes: the response of node:http
 * buffers up to 64 KiB, and a second queue would add a chunk of the handler for each client that does not read.
 */
const highWaterMark = 0;

/**
 * Maximum time to wait for the framework to send the head before the connection of a failed body is closed, in milliseconds. Many clients
 * retry a request if they have received nothing at all.
 */
const headPatienceMs = 20;

/** Queue that a framework reads the body of a response from. */
interface Sink {
  /** Appends bytes. Returns false if enough bytes are queued. */
  push(chunk: Uint8Array): boolean;
  end(): void;
}

/**
 * Writes the body of a response that a framework sends. The body goes into a stream, which the framework and its hooks and middleware read
 * as fast as the client reads.
 */
class PipedResponseWriter implements ResponseWriter {
  readonly #response: ServerResponse;
  readonly #events: ResponseStreamEvents;
  readonly #sink: Sink;
  #isOver = false;
  #isWaiting = false;

  constructor(response: ServerResponse, events: ResponseStreamEvents, sink: Sink) {
    this.#response = response;
    this.#events = events;
    this.#sink = sink;
    // Ignore the error: `close` follows it, and no further message can be sent.
    response.on("error", () => undefined);
    if (response.destroyed) queueMicrotask(() => this.abort());
    // `close` also fires if a hook has sent a different response: then nothing reads this body.
    else response.once("close", () => this.abort());
  }

  write(chunk: Uint8Array): boolean {
    // If the response is destroyed, `abort` follows.
    if (this.#isOver || this.#response.destroyed) return false;
    const hasRoom = this.#sink.push(chunk);
    this.#isWaiting = !hasRoom;
    return hasRoom;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.end();
  }

  destroy(): void {
    this.#isOver = true;
    const response = this.#response;
    if (response.headersSent) response.destroy();
    else setTimeout(() => response.destroy(), headPatienceMs);
  }

  /** Resumes the writer after the framework has read from the queue. */
  drained(): void {
    if (this.#isOver || !this.#isWaiting) return;
    this.#isWaiting = false;
    this.#events.drain();
  }

  /** Stops the writer because nothing reads the body any longer. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.abort();
  }
}

/** Body that is written through `writer` and read from `body`. */
export interface PipedBody<TBody> {
  readonly writer: ResponseWriter;
  readonly body: TBody;
}

/** Creates a body for frameworks that send Node streams. */
export function nodeBody(response: ServerResponse, events: ResponseStreamEvents): PipedBody<Readable> {
  const body = new Readable({ highWaterMark, read: () => writer.drained() });
  const writer = new PipedResponseWriter(response, events, {
    push: (chunk) => body.push(chunk),
    end: () => void body.push(null),
  });
  return { writer, body };
}

/** Creates a body for frameworks that send web streams. */
export function webBody(
  response: ServerResponse,
  events: ResponseStreamEvents,
): PipedBody<ReadableStream<Uint8Array>> {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (started) => void (controller = started),
      // Neither `pull` nor `cancel` is called before this function has returned.
      pull: () => writer.drained(),
      cancel: () => writer.abort(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark }),
  );
  const writer = new PipedResponseWriter(response, events, {
    push(chunk) {
      controller.enqueue(chunk);
      return controller.desiredSize! > 0;
    },
    end: () => controller.close(),
  });
  return { writer, body };
}
