import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";

/** A request's body, as far as it is there. */
export class RequestBody {
  /** A request without one. */
  static readonly none: RequestBody = new RequestBody(0, Buffer.alloc(0));
  /** One above the limit; its bytes were not kept. */
  static readonly tooLarge: RequestBody = new RequestBody(0, Buffer.alloc(0));

  /** One that nobody could read as text, for its charset or its coding. */
  static readonly unreadable: RequestBody = new RequestBody(1, Buffer.of(0xff));

  readonly length: number;
  readonly #content: Uint8Array | string | Error;

  private constructor(length: number, content: Uint8Array | string | Error) {
    this.length = length;
    this.#content = content;
  }

  /** The bytes as they came. */
  static ofBytes(bytes: Uint8Array, limit: number): RequestBody {
    if (bytes.length > limit) return RequestBody.tooLarge;
    return bytes.length === 0 ? RequestBody.none : new RequestBody(bytes.length, bytes);
  }

  /** Text that somebody decoded before. */
  static ofText(text: string, limit: number): RequestBody {
    const length = Buffer.byteLength(text);
    if (length > limit) return RequestBody.tooLarge;
    return length === 0 ? RequestBody.none : new RequestBody(length, text);
  }

  /** One that is not there any more; reading it is the error. */
  static lost(error: Error): RequestBody {
    return new RequestBody(1, error);
  }

  /** The text, or nothing where the bytes are no UTF-8. */
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

/**
 * Reads a body to its end, or to the limit: what comes after it is not kept. Calls back once, with nothing where the client
 * went away before the end; there is nobody to answer then.
 */
export function readBody(
  stream: Readable,
  limit: number,
  done: (body: RequestBody | undefined) => void,
): void {
  let chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > limit) finish(RequestBody.tooLarge);
    else chunks.push(chunk);
  };
  const onEnd = (): void =>
    finish(RequestBody.ofBytes(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length), limit));
  const onGone = (): void => finish(undefined);
  function finish(body: RequestBody | undefined): void {
    stream.off("data", onData).off("end", onEnd).off("close", onGone);
    chunks = [];
    done(body);
  }
  // The listener for errors stays: one that comes later must not end the process.
  stream.on("data", onData).on("end", onEnd).on("error", ignore).on("close", onGone);
}

function ignore(): void {
  // The stream closes after its error, and that is listened for.
}
