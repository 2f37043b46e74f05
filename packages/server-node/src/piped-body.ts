import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";

import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

/**
 * Number of bytes of a response body that may wait for the framework before the handler's stream is paused.
 * The number is 0 because the response of node:http already buffers up to 64 KiB. A second queue would hold
 * one more chunk for each client that does not read.
 */
const highWaterMark = 0;

/**
 * Maximum time to wait for the framework to send the head if the body fails, in milliseconds. After this
 * time, the connection is closed. The wait is needed because many clients retry a request if they receive
 * nothing at all.
 */
const headPatienceMs = 20;

/** Queue of body chunks, from which Express, Fastify or Hono reads. */
interface Sink {
  /** Appends bytes. Returns false if enough bytes are queued. */
  push(chunk: Uint8Array): boolean;
  end(): void;
}

/**
 * Writes the body of a response into a stream that Express, Fastify or Hono reads and sends. The framework reads the stream only as fast as
 * the client receives the body.
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
    // Ignore the error: `close` follows it, and no further data can be sent.
    response.on("error", () => undefined);
    if (response.destroyed) queueMicrotask(() => this.abort());
    // `close` is also emitted if a hook of the framework has sent a different response. Then nothing reads this body.
    else response.once("close", () => this.abort());
  }

  write(chunk: Uint8Array): boolean {
    // If the response is destroyed, its `close` event calls `abort`.
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

  /** Stops the writer because nothing reads the body any more. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.abort();
  }
}

/** Body for a framework: kit writes to `writer`, and the framework reads from `body`. */
export interface PipedBody<TBody> {
  readonly writer: ResponseWriter;
  readonly body: TBody;
}

/**
 * Creates a body for frameworks that send Node streams.
 *
 * @example
 * ```ts
 * const { writer, body } = nodeBody(response, events);
 * reply.send(body);
 * return writer;
 * ```
 */
export function nodeBody(response: ServerResponse, events: ResponseStreamEvents): PipedBody<Readable> {
  const body = new Readable({ highWaterMark, read: () => writer.drained() });
  const writer = new PipedResponseWriter(response, events, {
    push: (chunk) => body.push(chunk),
    end: () => void body.push(null),
  });
  return { writer, body };
}

/**
 * Creates a body for frameworks that send web streams.
 *
 * @example
 * ```ts
 * const { writer, body } = webBody(response, events);
 * respond(new Response(body, { status }));
 * return writer;
 * ```
 */
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
