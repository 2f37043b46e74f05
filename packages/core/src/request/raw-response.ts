/** Responses that are not JSON: strings, bytes and streams. */

/**
 * Body that is sent in chunks: a Node `Readable`, a web `ReadableStream`, an async generator. Strings are sent as
 * UTF-8.
 */
export type StreamSource = AsyncIterable<Uint8Array | string>;

/** Body that `ctx.send` accepts. */
export type RawBody = string | Uint8Array | StreamSource;

/** Options of `ctx.send`. */
export interface SendOptions {
  /**
   * Content type, such as `text/csv; charset=utf-8`. Default: `text/plain; charset=utf-8` for a string, otherwise
   * `application/octet-stream`.
   */
  readonly contentType?: string;
  /**
   * Number of bytes of a stream, if it is known, so that clients can show progress. If the stream has another
   * number of bytes, kit closes the connection.
   */
  readonly length?: number;
}

/**
 * Result of `ctx.send`, which a handler returns in place of its contract's response.
 *
 * @example
 * ```ts
 * function sendReport(ctx: RequestContext, lines: AsyncIterable<string>): RawResponse {
 *   return ctx.send(lines, { contentType: "text/csv; charset=utf-8" });
 * }
 * ```
 */
export class RawResponse {
  /** Exists only for the type checker, which uses it to distinguish responses from properties that middleware adds. */
  declare readonly onlyHandlersReturnThis: true;
  /** Body. A stream is read while it is sent. */
  readonly body: string | Uint8Array | OpenSource;
  /** Content type that the handler set. */
  readonly contentType: string | null;
  readonly defaultType: string;
  readonly length: number | null;

  constructor(body: RawBody, options: SendOptions) {
    const { length, contentType } = options;
    if (contentType !== undefined && !/^[\x20-\x7e]+$/.test(contentType)) {
      throw new TypeError(
        "ctx.send: `contentType` must be printable ASCII text such as text/csv; charset=utf-8",
      );
    }
    if (length !== undefined && (!Number.isSafeInteger(length) || length < 0)) {
      throw new TypeError(`ctx.send: \`length\` must be a number of bytes, not ${String(length)}`);
    }
    this.body = readBody(body);
    this.defaultType = typeof body === "string" ? "text/plain; charset=utf-8" : "application/octet-stream";
    this.contentType = contentType ?? null;
    this.length = length ?? null;
  }

  /** Cancels a stream that will not be read. */
  cancel(reason: unknown): void {
    if (typeof this.body === "object" && "cancel" in this.body) this.body.cancel(reason);
  }
}

/** Stream that can be read and cancelled. */
export interface OpenSource {
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** Closes the stream, also while `next` is pending. Never throws. */
  cancel(reason: unknown): void;
}

function readBody(body: unknown): string | Uint8Array | OpenSource {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body instanceof ReadableStream) return fromWeb(body);
  if (typeof body === "object" && body !== null && Symbol.asyncIterator in body) {
    return fromIterable(body as AsyncIterable<unknown>);
  }
  const found = body === null ? "null" : Array.isArray(body) ? "a list" : `a value of type ${typeof body}`;
  throw new TypeError(
    `ctx.send accepts a string, a Uint8Array, a stream or an async iterable, not ${found}. For a JSON response, return the value directly`,
  );
}

function fromWeb(stream: ReadableStream<unknown>): OpenSource {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown, unknown>>,
    cancel: (reason) => ignoreFailure(() => reader.cancel(reason)),
  };
}

function fromIterable(iterable: AsyncIterable<unknown>): OpenSource {
  const iterator = iterable[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    cancel: () =>
      ignoreFailure(() => {
        // The iterator of a Node stream may wait without end, so the stream itself is destroyed.
        if (isDestroyable(iterable)) return iterable.destroy();
        // A generator runs its `finally` after the promise that it awaits. `ctx.signal` notifies it earlier.
        return iterator.return?.();
      }),
  };
}

function isDestroyable(value: object): value is { destroy(): unknown } {
  return typeof (value as { destroy?: unknown }).destroy === "function";
}

/** Calls the function and ignores its failure, because nothing uses a cancelled stream. */
function ignoreFailure(call: () => unknown): void {
  try {
    Promise.resolve(call()).catch(() => undefined);
  } catch {
    // Ignored, as above.
  }
}

/** Returns a chunk of a stream as bytes. */
export function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === "string") return Buffer.from(chunk);
  throw new TypeError(
    `The response stream yielded a value of type ${typeof chunk}; it must yield strings or Uint8Arrays`,
  );
}
