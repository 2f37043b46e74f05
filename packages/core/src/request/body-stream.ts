import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

import { type OpenSource, toBytes } from "./raw-response.ts";

/**
 * Result of sending a body: the body is complete, or sending failed with an error. The error is `undefined`
 * if the client disconnected.
 */
export type StreamEnd = { readonly isWhole: true } | { readonly isWhole: false; readonly error?: unknown };

/** Sends the chunks of a source as fast as the client receives them. Reads at most one chunk ahead. */
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

  /** Starts to send. `writer` writes the body of a response whose head is sent already. */
  start(writer: ResponseWriter): void {
    this.#writer = writer;
    if (!this.#isOver) void this.#pump(writer);
  }

  /** Ends the response to a HEAD request, which has no body, and cancels the source. */
  startEmpty(writer: ResponseWriter): void {
    this.#isOver = true;
    this.#source.cancel(new Error("The response has no body"));
    writer.end();
    this.#onEnd({ isWhole: true });
  }

  drain(): void {
    const onDrain = this.#onDrain;
    this.#onDrain = undefined;
    onDrain?.();
  }

  abort(): void {
    this.#end(new Error("The client disconnected before the end of the body"), { isWhole: false });
  }

  /** Stops sending and closes the connection. */
  cut(error: unknown): void {
    if (this.#isOver) return;
    this.#end(error, { isWhole: false, error });
    this.#writer?.destroy();
  }

  /** Completes the body after the chunks that are written, and cancels the source. */
  finish(reason: unknown): void {
    if (this.#isOver) return;
    this.#end(reason, { isWhole: true });
    this.#writer?.end();
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
        // The client may have disconnected in the meantime.
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
    return new RangeError(`The response stream has ${how} bytes than the declared length ${this.#length}`);
  }
}

/** Maximum number of bytes of a body that is collected in memory because the server cannot stream. */
const greatestCollected = 16 * 1024 * 1024;

/** Reads a stream to its end and returns its bytes. `undefined` if `isOver` reports that nobody needs the response. */
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
        `The server adapter ${serverAdapter} cannot stream, and the response body is larger than the ${greatestCollected} bytes that kit can collect instead`,
      );
    }
    pieces.push(bytes);
  }
}
