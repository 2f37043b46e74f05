/** Answers that are not JSON: text, bytes and streams. */

/** A body that comes piece by piece: a Node `Readable`, a web `ReadableStream`, an async generator. Text is sent as UTF-8. */
export type StreamSource = AsyncIterable<Uint8Array | string>;

/** What `ctx.send` takes. */
export type RawBody = string | Uint8Array | StreamSource;

/** How a body is sent. */
export interface SendOptions {
  /** `text/csv; charset=utf-8`; default `application/octet-stream`, for text `text/plain; charset=utf-8`. */
  readonly contentType?: string;
  /** Number of bytes of a stream, where it is known: clients then show progress. A stream that has another number is cut. */
  readonly length?: number;
}

/** What `ctx.send` gives and a handler returns in place of its contract's response. */
export class RawResponse {
  /** Exists for the type checker alone, which tells answers from properties that middleware adds by it. */
  declare readonly onlyHandlersReturnThis: true;
  /** Text and bytes are there at once; a stream is read while it is sent. */
  readonly body: string | Uint8Array | OpenSource;
  /** As the handler says it. */
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

  /** Lets go of what nobody will read. */
  cancel(reason: unknown): void {
    if (typeof this.body === "object" && "cancel" in this.body) this.body.cancel(reason);
  }
}

/** A stream that can be read and let go of. */
export interface OpenSource {
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** Ends it, also while `next` waits. Never throws. */
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
    `ctx.send takes text, a Uint8Array, a stream or an async iterable, not ${found}; return what the contract declares without it`,
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
        // A Node stream: what its iterator waits for may never come, so it is ended itself.
        if (isDestroyable(iterable)) return iterable.destroy();
        // A generator runs its `finally` once what it awaits has come; `ctx.signal` tells it earlier.
        return iterator.return?.();
      }),
  };
}

function isDestroyable(value: object): value is { destroy(): unknown } {
  return typeof (value as { destroy?: unknown }).destroy === "function";
}

/** What is let go of is of no interest any more, and neither is how it fails. */
function ignoreFailure(call: () => unknown): void {
  try {
    Promise.resolve(call()).catch(() => undefined);
  } catch {
    // See above.
  }
}

/** Bytes of a piece. */
export function toBytes(piece: unknown): Uint8Array {
  if (piece instanceof Uint8Array) return piece;
  if (typeof piece === "string") return Buffer.from(piece);
  throw new TypeError(
    `The stream of an answer gave a value of type ${typeof piece}; it must give text or a Uint8Array`,
  );
}
