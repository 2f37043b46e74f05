import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

import { type OpenSource, toBytes } from "./raw-response.ts";

/** How the sending of a body ended: whole, or with what went wrong; `undefined` where the client left. */
export type StreamEnd = { readonly isWhole: true } | { readonly isWhole: false; readonly error?: unknown };

/** Sends the pieces of a source as fast as the client takes them, and reads no further ahead than one piece. */
export class BodyStream implements ResponseStreamEvents {
  readonly #source: OpenSource;
  readonly #length: number | null;
  readonly #onEnd: (end: StreamEnd) => void;
  #writer: ResponseWriter | undefined;
  #isOver = false;
  #written = 0;
  #onDrain: (() => void) | undefined;

  constructor(source: OpenSource, length: number | null, onEnd: (end: StreamEnd) => void) {
    this.#source = source;
    this.#length = length;
    this.#onEnd = onEnd;
  }

  /** Begins; `writer` writes the body of an answer whose head is sent. */
  start(writer: ResponseWriter): void {
    this.#writer = writer;
    if (!this.#isOver) void this.#pump(writer);
  }

  /** For an answer without a body. */
  startEmpty(writer: ResponseWriter): void {
    this.#isOver = true;
    this.#source.cancel(new Error("The answer has no body"));
    writer.end();
    this.#onEnd({ isWhole: true });
  }

  drain(): void {
    const onDrain = this.#onDrain;
    this.#onDrain = undefined;
    onDrain?.();
  }

  abort(): void {
    this.#end(new Error("The client went away before it had the whole body"), { isWhole: false });
  }

  /** Cuts it. */
  cut(error: unknown): void {
    if (this.#isOver) return;
    this.#end(error, { isWhole: false, error });
    this.#writer?.destroy();
  }

  async #pump(writer: ResponseWriter): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#source.next();
        if (this.#isOver) return;
        if (done === true) break;
        const bytes = toBytes(value);
        this.#written += bytes.length;
        if (this.#length !== null && this.#written > this.#length) throw this.#wrongLength("more");
        if (bytes.length > 0 && !writer.write(bytes)) await this.#drained();
        // The client may have left meanwhile.
        if (this.#isOver) return;
      }
      if (this.#length !== null && this.#written < this.#length) throw this.#wrongLength("fewer");
      this.#isOver = true;
      writer.end();
      this.#onEnd({ isWhole: true });
    } catch (error) {
      this.cut(error);
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrain = resolve;
    });
  }

  #end(reason: unknown, end: StreamEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.cancel(reason);
    this.drain();
    this.#onEnd(end);
  }

  #wrongLength(how: "more" | "fewer"): Error {
    return new RangeError(
      `The stream of an answer has ${how} bytes than the ${this.#length} it was sent with`,
    );
  }
}

/** Where a server cannot stream, a body is kept whole until it is sent; a larger one is refused. */
const greatestCollected = 16 * 1024 * 1024;

/** Reads a source to its end. Gives nothing once `isOver` says that nobody waits any more. */
export async function collect(
  source: OpenSource,
  serverAdapter: string,
  isOver: () => boolean,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await source.next();
    if (isOver()) return undefined;
    if (done === true) return Buffer.concat(pieces);
    const bytes = toBytes(value);
    length += bytes.length;
    if (length > greatestCollected) {
      throw new RangeError(
        `The server adapter ${serverAdapter} cannot stream, and the body is larger than the ${greatestCollected} bytes that are kept for it`,
      );
    }
    pieces.push(bytes);
  }
}
