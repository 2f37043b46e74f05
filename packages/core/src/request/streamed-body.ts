import type { CompiledRoute, RequestBodyErrorCode, RequestBodyReader } from "@kit/types";

import { bodyIncomplete, bodyTimeout, payloadTooLarge } from "./refusals.ts";

/** Returns true if the handler of a route reads the body in chunks, so that the server passes requests on before their bodies. */
export function hasStreamedBody({ bodyFormat }: CompiledRoute): boolean {
  return bodyFormat?.format === "lines";
}

/** Errors of bodies that clients have caused. */
const failures = new WeakSet<object>();

/** Returns the error of a value that the client has sent in a body that the handler reads. The log counts it as a refusal. */
export function asBodyFailure<TError extends Error>(error: TError): TError {
  failures.add(error);
  return error;
}

/** Returns true if a client has caused the error with a body that is too large, late, incomplete or invalid. */
export function isBodyFailure(error: unknown): boolean {
  return typeof error === "object" && error !== null && failures.has(error);
}

/**
 * Request body as an iterable of chunks, which can be iterated once. The server reads from the client only while the
 * iteration waits for a chunk. Leaving the iteration early ends reading.
 */
export class StreamedBody implements AsyncIterable<Uint8Array> {
  readonly #reader: RequestBodyReader;
  readonly #limit: number;
  #isIterated = false;

  /** `limit` is the maximum size in bytes, for the error. */
  constructor(reader: RequestBodyReader, limit: number) {
    this.#reader = reader;
    this.#limit = limit;
  }

  /**
   * Starts the iteration.
   *
   * @throws {TypeError} if the body was iterated before.
   */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined, undefined> {
    if (this.#isIterated) throw new TypeError("The request body can be read only once");
    this.#isIterated = true;
    let isLeft = false;
    let last: Promise<unknown> = Promise.resolve();
    const read = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      if (isLeft) return { done: true, value: undefined };
      try {
        const chunk = await this.#reader.read();
        return chunk === null ? { done: true, value: undefined } : { done: false, value: chunk };
      } catch (error) {
        // The iteration was left while it waited.
        if (isLeft) return { done: true, value: undefined };
        throw failureOf(error, this.#limit);
      }
    };
    return {
      next() {
        // A reader takes one call after another, but an iterator takes several at once.
        const result = last.then(read, read);
        last = result;
        return result;
      },
      return: async () => {
        isLeft = true;
        this.#reader.cancel();
        return { done: true, value: undefined };
      },
    };
  }
}

/** Returns the error of the pipeline for an error of a reader. Other errors stay. */
function failureOf(error: unknown, limit: number): unknown {
  const failure = ofClient((error as { readonly code?: RequestBodyErrorCode } | undefined)?.code, limit);
  if (failure === undefined) return error;
  failures.add(failure);
  return failure;
}

function ofClient(code: RequestBodyErrorCode | undefined, limit: number): Error | undefined {
  switch (code) {
    case "ERR_KIT_BODY_TOO_LARGE":
      return payloadTooLarge(limit);
    case "ERR_KIT_BODY_TIMEOUT":
      return bodyTimeout();
    case "ERR_KIT_BODY_ABORTED":
    case "ERR_KIT_BODY_INVALID":
      return bodyIncomplete();
    default:
      return undefined;
  }
}
