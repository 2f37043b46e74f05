import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";

import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

/** How many bytes of an answer wait for its framework before the one who writes them has to. */
const highWaterMark = 64 * 1024;

/**
 * How long a head may take that its framework has not sent when the body is given up. Many clients try again where nothing at
 * all has come.
 */
const headPatienceMs = 20;

/** What a framework reads an answer's body from. */
interface Sink {
  /** Takes bytes; `false` where enough of them are waiting. */
  push(chunk: Uint8Array): boolean;
  end(): void;
}

/**
 * Writes the body of an answer that a framework sends: into a stream that the framework, and the hooks and middleware that it
 * goes through, read as fast as the client takes it.
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
    // What went wrong is of no interest: it closes after an error, and nobody can be told any more.
    response.on("error", () => undefined);
    if (response.destroyed) queueMicrotask(() => this.abort());
    // Also where a hook has answered with something else: nobody will read this one.
    else response.once("close", () => this.abort());
  }

  write(chunk: Uint8Array): boolean {
    // Where it is gone, `abort` is on its way.
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

  /** The framework reads on. */
  drained(): void {
    if (this.#isOver || !this.#isWaiting) return;
    this.#isWaiting = false;
    this.#events.drain();
  }

  /** Nobody reads what is written. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.abort();
  }
}

/** A body that is written through `writer` and read from `body`. */
export interface PipedBody<TBody> {
  readonly writer: ResponseWriter;
  readonly body: TBody;
}

/** A body for frameworks that send Node's streams. */
export function nodeBody(response: ServerResponse, events: ResponseStreamEvents): PipedBody<Readable> {
  const body = new Readable({ highWaterMark, read: () => writer.drained() });
  const writer = new PipedResponseWriter(response, events, {
    push: (chunk) => body.push(chunk),
    end: () => void body.push(null),
  });
  return { writer, body };
}

/** A body for frameworks that send streams of the web. */
export function webBody(
  response: ServerResponse,
  events: ResponseStreamEvents,
): PipedBody<ReadableStream<Uint8Array>> {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (started) => void (controller = started),
      // Neither is called before this function has returned.
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
