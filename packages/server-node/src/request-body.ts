import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";

import { type BodyReader, WholeBodyReader } from "./body-reader.ts";
import { CollectedBytes } from "./collected-bytes.ts";
import { codedError } from "./response-check.ts";

/**
 * Body of a request, or the reason why its content is not available.
 *
 * @example
 * ```ts
 * const body = RequestBody.ofText('{"title":"Milk"}', service.limits.bodyBytes);
 * body.text(); // {"title":"Milk"}
 * ```
 */
export class RequestBody {
  /** Empty body. */
  static readonly empty: RequestBody = new RequestBody(0, Buffer.alloc(0));
  /** Body above the size limit. Its bytes are discarded. */
  static readonly tooLarge: RequestBody = new RequestBody(0, Buffer.alloc(0));

  /** Body that cannot be read as text because of its charset or its content coding. */
  static readonly unreadable: RequestBody = new RequestBody(1, Buffer.of(0xff));

  /** Number of bytes. -1 if the body arrives in chunks and its length is unknown. */
  readonly length: number;
  /** Reader of a body that arrives in chunks. `undefined` for all other bodies. */
  readonly reader: BodyReader | undefined;
  readonly #content: Uint8Array | string | Error;

  private constructor(length: number, content: Uint8Array | string | Error, reader?: BodyReader) {
    this.length = length;
    this.reader = reader;
    this.#content = content;
  }

  /** Creates a body from the received bytes. */
  static ofBytes(bytes: Uint8Array, limit: number): RequestBody {
    if (bytes.length > limit) return RequestBody.tooLarge;
    return bytes.length === 0 ? RequestBody.empty : new RequestBody(bytes.length, bytes);
  }

  /** Creates a body from a string that other code, such as a body parser, has decoded. */
  static ofText(text: string, limit: number): RequestBody {
    const length = Buffer.byteLength(text);
    if (length > limit) return RequestBody.tooLarge;
    return length === 0 ? RequestBody.empty : new RequestBody(length, text);
  }

  /** Creates a body whose content is no longer available. Reading it throws `error`. */
  static unavailable(error: Error): RequestBody {
    return new RequestBody(1, error);
  }

  /** Creates a body that arrives in chunks. `length` is -1 if it is unknown. */
  static inChunks(reader: BodyReader, length: number): RequestBody {
    return new RequestBody(length, streamedError(), reader);
  }

  /** Returns the same body for a route whose bodies arrive in chunks. */
  asChunks(): RequestBody {
    if (this === RequestBody.tooLarge) return this;
    return RequestBody.inChunks(new WholeBodyReader(() => this.bytes()), this.length);
  }

  /** Returns the text, or `undefined` if the bytes are not UTF-8. */
  text(): string | undefined {
    const content = this.#content;
    if (typeof content === "string") return content;
    if (content instanceof Error) throw content;
    return isUtf8(content)
      ? Buffer.from(content.buffer, content.byteOffset, content.length).toString("utf8")
      : undefined;
  }

  bytes(): Uint8Array {
    const content = this.#content;
    if (content instanceof Error) throw content;
    return typeof content === "string" ? Buffer.from(content) : content;
  }
}

function streamedError(): Error {
  return codedError("ERR_KIT_BODY_STREAMED", "The request body arrives in chunks; read it with `readBody`");
}

/**
 * Reads a body to its end or to the limit, and discards bytes after the limit. Calls `done` once, with the
 * body. If the client disconnects before the end, calls `done` with `undefined`, because no response can be
 * sent.
 *
 * @example
 * ```ts
 * readBody(payload, service.limits.bodyBytes, (body) => {
 *   if (body !== undefined) parsed(null, body);
 * });
 * ```
 */
export function readBody(
  stream: Readable,
  limit: number,
  done: (body: RequestBody | undefined) => void,
): void {
  const collected = new CollectedBytes();
  const onData = (chunk: Buffer): void => {
    if (collected.length + chunk.length > limit) finish(RequestBody.tooLarge);
    else collected.add(chunk);
  };
  const onEnd = (): void => finish(RequestBody.ofBytes(collected.take(), limit));
  const onGone = (): void => finish(undefined);
  function finish(body: RequestBody | undefined): void {
    stream.off("data", onData).off("end", onEnd).off("close", onGone);
    collected.clear();
    done(body);
  }
  // The error listener stays: without it, a later error would terminate the process.
  stream.on("data", onData).on("end", onEnd).on("error", ignore).on("close", onGone);
}

function ignore(): void {
  // The stream emits `close` after its error, and `onGone` handles that.
}
