import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { InputReply } from "@kit/transform-native";

/** Maximum number of bytes that wait to be read. The stream is paused while more wait. */
const maxWaiting = 16 * 1024 * 1024;

/** Time between two checks if the process of {@link StandardInput.endWith} still runs. */
const lookAfterMs = 2000;

/** Longest time that a timer of Node can have. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Bytes of standard input, for a command that reads them in parts. */
export class StandardInput {
  readonly #stream: Readable;
  #chunks: Buffer[] = [];
  #size = 0;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      if (this.#size > maxWaiting) stream.pause();
      this.#wake();
    });
    // A stream that fails has no more bytes either.
    for (const event of ["end", "error", "close"]) {
      stream.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  /** True if bytes wait, or may still arrive. */
  get hasMore(): boolean {
    return this.#size > 0 || !this.#ended;
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /**
   * Resolves as soon as there are bytes, or the stream has ended.
   *
   * @returns The promise, and a function that stops waiting: the promise then resolves too.
   */
  arrival(): { readonly promise: Promise<void>; readonly stop: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#size > 0 || this.#ended) resolve();
    else this.#waiting.add(resolve);
    const stop = (): void => {
      this.#waiting.delete(resolve);
      resolve();
    };
    return { promise, stop };
  }

  /** Resolves to the bytes that have arrived. If there are none, waits for bytes or the end, but at most `waitMs`. */
  async read(waitMs: number): Promise<InputReply> {
    // Bytes arrive only between turns of the event loop.
    await nextTurn();
    if (waitMs > 0) {
      const { promise, stop } = this.arrival();
      const timer = setTimeout(stop, Math.min(waitMs, maxTimeoutMs));
      await promise;
      clearTimeout(timer);
    }
    const bytes = Buffer.concat(this.#chunks).toString("latin1");
    this.#chunks = [];
    this.#size = 0;
    if (this.#stream.isPaused()) this.#stream.resume();
    return { bytes, ended: this.#ended };
  }

  /** Ends the input as soon as a process has ended. */
  endWith(processId: number): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (isRunning(processId)) return;
      clearInterval(this.#timer);
      this.#ended = true;
      this.#wake();
    }, lookAfterMs).unref();
  }

  /** Stops reading, so that the stream does not keep the process running. */
  close(): void {
    clearInterval(this.#timer);
    this.#stream.destroy();
  }
}

/** Returns true if a process runs. A process of another user, which this process may not signal, runs too. */
function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
