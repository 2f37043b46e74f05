import type { CompiledRoute, RequestBodyErrorCode, RequestBodyReader } from "@kit/types";

import { uploadOf } from "../bodies/file-rules.ts";
import { serialIterator } from "../serial-iterator.ts";
import { bodyIncomplete, bodyTimeout, payloadTooLarge } from "./refusals.ts";

/** Returns true if the handler of a route reads the body in chunks, so that the server passes requests on before their bodies. */
export function hasStreamedBody({ bodyFormat }: CompiledRoute): boolean {
  if (bodyFormat === undefined) return false;
  const { format } = bodyFormat;
  return format === "lines" || format === "chunks" || uploadOf(bodyFormat) !== undefined;
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
    return serialIterator(
      async () => {
        try {
          return (await this.#reader.read()) ?? undefined;
        } catch (error) {
          throw failureOf(error, this.#limit);
        }
      },
      () => this.#reader.cancel(),
    );
  }
}

/** Returns the error of the pipeline for an error of a reader. Returns other errors unchanged. */
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
