import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

import type { RequestBodyErrorCode, RequestBodyReader } from "@kit/types";

import { codedError } from "./response-check.ts";

/** Reader of a request body, with the parts that only the adapter uses. */
export interface BodyReader extends RequestBodyReader {
  /** True if the server has received the whole body, so that the connection can serve further requests. */
  readonly isReceived: boolean;
  /** True if the server has responded to the request by itself, because of its body. */
  readonly isRefused: boolean;
  /** Ends reading because of the response. The rest of the body is discarded. */
  finish(): void;
}

function bodyError(code: RequestBodyErrorCode): Error {
  return codedError(code, `The request body cannot be read to its end (${code})`);
}

/** Returns the error for a call of `read` while another call waits. */
function readTwice(): Error {
  return codedError("ERR_INVALID_STATE", "`read` was called before the previous call was settled");
}

/** Functions that settle the promise of a call of `read`. */
interface Waiting {
  resolve(chunk: Uint8Array | null): void;
  reject(error: Error): void;
}

const readers = new WeakMap<IncomingMessage, StreamReader>();

/** Makes the reader of a request reject, because the server refuses the request. Has no effect without a reader. */
export function refuseReading(request: IncomingMessage, code: RequestBodyErrorCode): void {
  readers.get(request)?.refuse(code);
}

/**
 * Reads a body in chunks as it arrives. The stream is paused unless `read` waits, so that Node reads at most its
 * buffer's size ahead (`highWaterMark`, 64 KiB).
 */
export class StreamReader implements BodyReader {
  isRefused = false;
  readonly #source: Readable;
  readonly #request: IncomingMessage;
  readonly #limit: number;
  #received = 0;
  #isStarted = false;
  #isEnded = false;
  #waiting: Waiting | undefined;
  #error: Error | undefined;

  /** `source` is the request, or a stream that a framework has made from it. */
  constructor(source: Readable, request: IncomingMessage, limit: number) {
    this.#source = source;
    this.#request = request;
    this.#limit = limit;
    readers.set(request, this);
    // Without a listener, an error would terminate the process. `close` follows it.
    source.on("error", () => undefined).once("close", () => this.#onClose());
  }

  get isReceived(): boolean {
    return this.#request.complete;
  }

  read(): Promise<Uint8Array | null> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isEnded) return Promise.resolve(null);
    if (this.#waiting !== undefined) return Promise.reject(readTwice());
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
    this.#waiting = { resolve, reject };
    if (this.#source.destroyed && !this.#source.readableEnded) this.#fail(bodyError("ERR_KIT_BODY_ABORTED"));
    else this.#resume();
    return promise;
  }

  cancel(): void {
    if (!this.#isEnded) this.#fail(bodyError("ERR_KIT_BODY_CANCELED"));
  }

  finish(): void {
    this.cancel();
    this.#source.off("data", this.#onData).resume();
  }

  refuse(code: RequestBodyErrorCode): void {
    // An error of the client after the whole body, such as invalid bytes after the request, is not about this body.
    if (this.#request.complete) return;
    this.isRefused = true;
    this.#fail(bodyError(code));
  }

  #resume(): void {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#source.once("end", this.#onEnd).on("data", this.#onData);
    }
    this.#source.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#source.pause();
    this.#received += chunk.length;
    if (this.#received > this.#limit) this.#fail(bodyError("ERR_KIT_BODY_TOO_LARGE"));
    else if (chunk.length > 0) this.#settle(chunk);
    else this.#source.resume();
  };

  readonly #onEnd = (): void => {
    this.#isEnded = true;
    this.#settle(null);
  };

  #onClose(): void {
    if (!this.#isEnded) this.#fail(bodyError("ERR_KIT_BODY_ABORTED"));
  }

  #settle(chunk: Uint8Array | null): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(chunk);
  }

  #fail(error: Error): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#source.pause();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
  }
}

/** Reads a body that was received before, as one chunk. */
export class WholeBodyReader implements BodyReader {
  readonly isReceived = true;
  readonly isRefused = false;
  #bytes: (() => Uint8Array) | undefined;
  #isCanceled = false;

  /** `bytes` returns the body. It throws an error if other code has read the body and has not kept it. */
  constructor(bytes: () => Uint8Array) {
    this.#bytes = bytes;
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#isCanceled) throw bodyError("ERR_KIT_BODY_CANCELED");
    const chunk = this.#bytes?.();
    this.#bytes = undefined;
    return chunk === undefined || chunk.length === 0 ? null : chunk;
  }

  cancel(): void {
    if (this.#bytes !== undefined) this.#isCanceled = true;
    this.#bytes = undefined;
  }

  finish(): void {
    this.cancel();
  }
}
