import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { InputReply } from "@kit/transform-native";

/** Maximum number of bytes that wait to be read. The stream is paused while more wait. */
const maxWaiting = 16 * 1024 * 1024;

/** Bytes of standard input, for a command that reads them in parts. */
export class StandardInput {
  readonly #stream: Readable;
  #chunks: Buffer[] = [];
  #size = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      if (this.#size > maxWaiting) stream.pause();
      this.#wake?.();
    });
    // A stream that fails has no more bytes either.
    for (const event of ["end", "error", "close"]) {
      stream.on(event, () => {
        this.#ended = true;
        this.#wake?.();
      });
    }
  }

  /** Resolves to the bytes that have arrived. If there are none and `wait` is true, waits for bytes or the end. */
  async read(wait: boolean): Promise<InputReply> {
    // Bytes arrive only between turns of the event loop.
    await nextTurn();
    if (wait && this.#size === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const bytes = Buffer.concat(this.#chunks).toString("latin1");
    this.#chunks = [];
    this.#size = 0;
    if (this.#stream.isPaused()) this.#stream.resume();
    return { bytes, ended: this.#ended };
  }

  /** Stops reading, so that the stream does not keep the process running. */
  close(): void {
    this.#stream.destroy();
  }
}
