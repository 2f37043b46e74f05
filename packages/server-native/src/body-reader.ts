import type { RequestBodyErrorCode, RequestBodyReader } from "@kit/types";

import type { Addon, RequestId } from "./addon.ts";

/** Readers that wait for a chunk, by the id of their request. */
export type WaitingReaders = Map<RequestId, AddonBodyReader>;

/** Code of the addon for the end of a body. `crates/kit-node-server/src/server.rs` defines the same codes. */
const endedCode = 0;

/** Codes of errors, by the numbers that the addon uses for failures. */
const failures: Readonly<Record<number, RequestBodyErrorCode>> = {
  1: "ERR_KIT_BODY_ABORTED",
  2: "ERR_KIT_BODY_INVALID",
  3: "ERR_KIT_BODY_TIMEOUT",
  4: "ERR_KIT_BODY_TOO_LARGE",
};

function bodyError(code: RequestBodyErrorCode): Error {
  return Object.assign(new Error(`The request body cannot be read to its end (${code})`), { code });
}

/** Functions that settle the promise of a call of `read`. */
interface Waiting {
  resolve(chunk: Uint8Array | null): void;
  reject(error: Error): void;
}

/** Reader of a request body. The response to the request ends reading. */
export interface BodyReader extends RequestBodyReader {
  /** Ends reading, because the response was sent. */
  finish(): void;
}

/** Reads a body in chunks from the addon. */
export class AddonBodyReader implements BodyReader {
  readonly #addon: Addon;
  readonly #server: number;
  readonly #id: RequestId;
  readonly #readers: WaitingReaders;
  #waiting: Waiting | undefined;
  #isEnded = false;
  #error: Error | undefined;

  constructor(addon: Addon, server: number, id: RequestId, readers: WaitingReaders) {
    this.#addon = addon;
    this.#server = server;
    this.#id = id;
    this.#readers = readers;
  }

  read(): Promise<Uint8Array | null> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isEnded) return Promise.resolve(null);
    if (this.#waiting !== undefined) {
      const error = new Error("`read` was called before the previous call was settled");
      return Promise.reject(Object.assign(error, { code: "ERR_INVALID_STATE" }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
    this.#waiting = { resolve, reject };
    this.#readers.set(this.#id, this);
    if (this.#addon.readBody(this.#server, this.#id) === 0) this.#fail("ERR_KIT_BODY_ABORTED");
    return promise;
  }

  cancel(): void {
    if (this.#isEnded || this.#error !== undefined) return;
    this.#addon.cancelBody(this.#server, this.#id);
    this.#fail("ERR_KIT_BODY_CANCELED");
  }

  finish(): void {
    if (!this.#isEnded && this.#error === undefined) this.#fail("ERR_KIT_BODY_CANCELED");
  }

  /** Receives the next chunk, or a code of the addon. */
  onPart(part: Uint8Array | number): void {
    if (typeof part === "number" && part !== endedCode) {
      this.#fail(failures[part]!);
      return;
    }
    this.#isEnded = part === endedCode;
    this.#takeWaiting()?.resolve(part === endedCode ? null : (part as Uint8Array));
  }

  #fail(code: RequestBodyErrorCode): void {
    this.#error = bodyError(code);
    this.#takeWaiting()?.reject(this.#error);
  }

  #takeWaiting(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#readers.delete(this.#id);
    return waiting;
  }
}

/** Reads a body that arrived together with the head of its request, as one chunk. */
export class WholeBodyReader implements BodyReader {
  #bytes: (() => Uint8Array) | undefined;
  #isCanceled = false;

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
    this.#isCanceled = this.#bytes !== undefined;
    this.#bytes = undefined;
  }

  finish(): void {
    this.cancel();
  }
}
