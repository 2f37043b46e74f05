import {
  brotliCompressSync,
  type BrotliOptions,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
  gzipSync,
} from "node:zlib";

import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

import type { ContentCoding } from "./accept-encoding.ts";

/**
 * Quality of brotli, from 0 to 11. The default of Node, 11, needs fifty times as long for a body. With 4, brotli is as
 * fast as gzip, and its result is smaller.
 */
const brotliQuality = 4;
/** Logarithm of the window of brotli for streams, whose length is unknown. The default, 22, needs 4 MiB for each stream. */
const streamWindow = 18;

/** Compresses a whole body synchronously. */
export function compressAll(body: Uint8Array, coding: ContentCoding): Uint8Array {
  if (coding === "gzip") return gzipSync(body);
  return brotliCompressSync(body, brotliOptions({ [constants.BROTLI_PARAM_SIZE_HINT]: body.length }));
}

function brotliOptions(params: Readonly<Record<number, number>>): BrotliOptions {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, ...params } };
}

/**
 * Writer that compresses the chunks of a streamed response. If no further chunk waits, the writer flushes all bytes,
 * so that a client receives each event of a slow stream at once.
 */
export class CompressedWriter implements ResponseWriter, ResponseStreamEvents {
  readonly #compressor: Gzip;
  readonly #events: ResponseStreamEvents;
  #target: ResponseWriter | undefined;
  #isOver = false;

  /**
   * `events` are the callbacks of the code that uses this writer. This writer's own methods are the callbacks
   * of the target.
   */
  constructor(coding: ContentCoding, events: ResponseStreamEvents) {
    this.#events = events;
    this.#compressor =
      coding === "gzip"
        ? createGzip()
        : createBrotliCompress(brotliOptions({ [constants.BROTLI_PARAM_LGWIN]: streamWindow }));
    this.#compressor
      .on("data", (chunk: Uint8Array) => {
        if (!this.#isOver && this.#target?.write(chunk) === false) this.#compressor.pause();
      })
      .on("drain", () => {
        if (!this.#isOver) this.#events.drain();
      })
      .on("end", () => {
        if (this.#isOver) return;
        this.#isOver = true;
        this.#target?.end();
      })
      // A compressor fails only if it is used wrongly. The body would be incomplete.
      .on("error", () => this.#cut());
  }

  /** Sets the writer that receives the compressed bytes. */
  set target(writer: ResponseWriter) {
    this.#target = writer;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver) return false;
    return this.#compressor.write(chunk, () => {
      const { writableLength, writableEnded } = this.#compressor;
      if (!this.#isOver && !writableEnded && writableLength === 0) this.#compressor.flush();
    });
  }

  end(): void {
    if (!this.#isOver) this.#compressor.end();
  }

  destroy(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#compressor.destroy();
    this.#target?.destroy();
  }

  drain(): void {
    if (!this.#isOver) this.#compressor.resume();
  }

  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#compressor.destroy();
    this.#events.abort();
  }

  #cut(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#target?.destroy();
    this.#events.abort();
  }
}
