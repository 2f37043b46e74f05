import type { RequestBodyErrorCode, RequestBodyReader } from "@kit/types";

function bodyError(code: RequestBodyErrorCode, cause?: unknown): Error {
  const message = `The request body cannot be read to its end (${code})`;
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code });
}

/** Reads the body of a request of the Fetch standard in chunks. */
export class FetchBodyReader implements RequestBodyReader {
  readonly #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #limit: number;
  #received = 0;
  #isReading = false;
  #isEnded = false;
  #error: Error | undefined;
  #reject: ((error: Error) => void) | undefined;

  /** `signal` aborts reading if the client disconnects. */
  constructor(body: ReadableStream<Uint8Array> | null, limit: number, signal: AbortSignal) {
    this.#source = body?.getReader();
    this.#limit = limit;
    const abort = (): void => this.#fail("ERR_KIT_BODY_ABORTED", signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  }

  read(): Promise<Uint8Array | null> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isEnded || this.#source === undefined) return Promise.resolve(null);
    if (this.#isReading) {
      const error = new Error("`read` was called before the previous call was settled");
      return Promise.reject(Object.assign(error, { code: "ERR_INVALID_STATE" }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
    this.#isReading = true;
    this.#reject = reject;
    void this.#readNext(this.#source, resolve);
    return promise;
  }

  cancel(): void {
    this.#fail("ERR_KIT_BODY_CANCELED");
  }

  /** Resolves the promise of `read`. A failure rejects it. */
  async #readNext(
    source: ReadableStreamDefaultReader<Uint8Array>,
    resolve: (chunk: Uint8Array | null) => void,
  ): Promise<void> {
    try {
      // Empty chunks are left out.
      for (let length = 0; length === 0;) {
        const { done, value } = await source.read();
        if (done) {
          this.#isEnded = this.#error === undefined;
          resolve(null);
          break;
        }
        length = value.length;
        this.#received += length;
        if (this.#received > this.#limit) this.#fail("ERR_KIT_BODY_TOO_LARGE");
        else if (length > 0) resolve(value);
      }
    } catch (error) {
      this.#fail("ERR_KIT_BODY_ABORTED", error);
    }
    this.#isReading = false;
  }

  #fail(code: RequestBodyErrorCode, cause?: unknown): void {
    if (this.#isEnded || this.#error !== undefined) return;
    this.#error = bodyError(code, cause);
    this.#reject?.(this.#error);
    // An error of the source can be ignored: nothing reads the body any more.
    this.#source?.cancel(this.#error).catch(() => undefined);
  }
}
