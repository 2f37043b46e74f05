/**
 * Parser of bodies in the format `multipart/form-data` (RFC 7578, on the framing of RFC 2046, section 5.1). The parser is
 * strict: each body that two programs could read differently is refused. `conformance/multipart.json` has the cases, which
 * the Rust target passes, too.
 */
import { mistake, type MultipartMistake, type PartHead, readPartHead } from "./part-head.ts";

/** Part of a multipart body with its content. */
export interface MultipartPart extends PartHead {
  /** Content. The bytes are a view of the body. */
  readonly bytes: Uint8Array;
}

/** Step of {@link MultipartParser}. */
export type MultipartStep =
  /** The parser needs more bytes, or the end of the body. */
  | { readonly kind: "more" }
  /** A part begins. */
  | { readonly kind: "part"; readonly head: PartHead }
  /** Bytes of the part's content, at least one. They are a view of a chunk. */
  | { readonly kind: "content"; readonly bytes: Uint8Array }
  /** The content of the part is complete. */
  | { readonly kind: "partEnd" }
  /** The body is complete. Every later step is the same. */
  | { readonly kind: "end" }
  /** The framing is broken. Every later step is the same. */
  | MultipartMistake;

/** Maximum number of parts of one body. */
export const greatestParts = 1000;
/** Maximum number of bytes of the headers of one part. */
export const greatestPartHeaders: number = 16 * 1024;

const boundaryPattern = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;
const lineBreak = Buffer.from("\r\n");
const dashes = Buffer.from("--");
/** Bytes with which each delimiter begins. */
const lineStart = Buffer.from("\r\n--");
const empty = Buffer.alloc(0);
const more = { kind: "more" } as const;
const partEnd = { kind: "partEnd" } as const;
const bodyEnd = { kind: "end" } as const;

/** Returns true if the value of the parameter `boundary` is valid (RFC 2046, 5.1.1). */
export function isBoundary(boundary: string | undefined): boundary is string {
  return boundary !== undefined && boundaryPattern.test(boundary);
}

/** Returns the parts of a body in order, or the first mistake in its framing. */
export function parseMultipart(body: Uint8Array, boundary: string): MultipartPart[] | MultipartMistake {
  const parser = new MultipartParser(boundary);
  parser.push(body);
  parser.end();
  const parts: MultipartPart[] = [];
  let head: PartHead | undefined;
  let bytes: Uint8Array = empty;
  for (;;) {
    const step = parser.next();
    switch (step.kind) {
      case "part":
        ({ head } = step);
        bytes = empty;
        break;
      case "content":
        // The whole content, because the parser has the whole body.
        ({ bytes } = step);
        break;
      case "partEnd": {
        const { name, fileName, mediaType, length } = head!;
        parts.push({ name, fileName, mediaType, length, bytes });
        break;
      }
      case "end":
        return parts;
      default:
        return step as MultipartMistake;
    }
  }
}

/**
 * Parser of a body that arrives in chunks. Between two chunks, the parser keeps at most the headers of one part, or the
 * start of a boundary.
 */
export class MultipartParser {
  /** Dashes and boundary. */
  readonly #line: Buffer;
  /** Line break before these, which ends the content of a part. */
  readonly #delimiter: Buffer;
  /** Received bytes. Those before {@link MultipartParser.#at} are consumed. */
  #buffer: Buffer = empty;
  #at = 0;
  /** Memory of `#buffer` with place for more bytes. `undefined` if `#buffer` is a chunk. */
  #memory: Buffer | undefined;
  /** Number of bytes after `#at` in which the end of the headers cannot begin. */
  #searched = 0;
  #isComplete = false;
  #parts = 0;
  #contentLength = 0;
  #declaredLength: number | undefined;
  #readState: () => MultipartStep | undefined = this.#readStart;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
    this.#line = this.#delimiter.subarray(lineBreak.length);
  }

  /** Adds the next bytes of the body. The parser keeps views of the chunk and does not change it. */
  push(chunk: Uint8Array): void {
    const rest = this.#buffer.length - this.#at;
    if (rest === 0) {
      this.#buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      this.#memory = undefined;
      this.#at = 0;
      return;
    }
    let end = this.#buffer.length;
    if (this.#memory === undefined || end + chunk.length > this.#memory.length) {
      // Twice the size, so that the time for many small chunks stays linear. Steps may have views of the old memory.
      this.#memory = Buffer.allocUnsafeSlow(Math.max(2 * rest, rest + chunk.length));
      this.#buffer.copy(this.#memory, 0, this.#at);
      this.#at = 0;
      end = rest;
    }
    this.#memory.set(chunk, end);
    this.#buffer = this.#memory.subarray(0, end + chunk.length);
  }

  /** Tells the parser that the body has no more bytes. */
  end(): void {
    this.#isComplete = true;
  }

  /** Returns the next step. */
  next(): MultipartStep {
    for (;;) {
      const step = this.#readState();
      if (step !== undefined) return step;
    }
  }

  /**
   * Reads the first delimiter, which is at the start of the body or after one line break. A preamble (RFC 2046,
   * 5.1.1) is refused, because no client sends it.
   */
  #readStart(): MultipartStep | undefined {
    const line = this.#startsWith(this.#line);
    const delimiter = this.#startsWith(this.#delimiter);
    if (line === true || delimiter === true) {
      this.#at += line === true ? this.#line.length : this.#delimiter.length;
      return this.#continueWith(this.#readAfterDelimiter);
    }
    if ((line === undefined || delimiter === undefined) && !this.#isComplete) return more;
    return this.#fail(`a line ${this.#line.toString("latin1")} before the first part`, "none");
  }

  #readAfterDelimiter(): MultipartStep | undefined {
    const isLast = this.#startsWith(dashes);
    if (isLast === undefined && !this.#isComplete) return more;
    if (isLast !== true) return this.#continueWith(this.#readLineBreak);
    this.#at += dashes.length;
    return this.#continueWith(this.#readEpilogue);
  }

  /** Reads the rest of the last line. An epilogue (RFC 2046, 5.1.1) is refused: no client sends it, and some programs would read parts in it. */
  #readEpilogue(): MultipartStep | undefined {
    this.#skipBlanks();
    const rest = this.#buffer.length - this.#at;
    const isLineBreak = rest <= lineBreak.length && this.#startsWith(lineBreak);
    if (isLineBreak === false && rest > 0)
      return this.#fail("the end of the body after the last boundary", "other bytes");
    if (!this.#isComplete) return more;
    if (rest === 1) return this.#fail("the end of the body after the last boundary", "other bytes");
    return this.#stayAt(bodyEnd);
  }

  #readLineBreak(): MultipartStep | undefined {
    this.#skipBlanks();
    const isLineBreak = this.#startsWith(lineBreak);
    if (isLineBreak === undefined && !this.#isComplete) return more;
    if (isLineBreak !== true) {
      const isEnd = this.#at === this.#buffer.length;
      return this.#fail("a line break after a boundary", isEnd ? "the end of the body" : "other bytes");
    }
    if (this.#parts === greatestParts) return this.#fail(`at most ${greatestParts} parts`, "more parts");
    this.#parts += 1;
    this.#searched = 0;
    return this.#continueWith(this.#readHead);
  }

  /** Reads the headers of a part. The line break before them is not consumed, because a part may have no headers. */
  #readHead(): MultipartStep | undefined {
    const at = this.#at;
    const end = this.#buffer.indexOf("\r\n\r\n", at + this.#searched, "latin1");
    const length = (end === -1 ? this.#buffer.length : end) - at;
    // Without the end of the headers, the last three bytes may belong to it.
    if (length > greatestPartHeaders + (end === -1 ? 3 : 0))
      return this.#fail(`at most ${greatestPartHeaders} bytes of headers in a part`, "more bytes");
    if (end === -1) {
      if (this.#isComplete) return this.#fail("an empty line after the headers of a part", "none");
      this.#searched = Math.max(0, length - 3);
      return more;
    }
    const head = readPartHead(this.#buffer.subarray(Math.min(at + lineBreak.length, end), end));
    if ("kind" in head) return this.#stayAt(head);
    this.#at = end + 4;
    this.#contentLength = 0;
    this.#declaredLength = head.length;
    this.#continueWith(this.#readContentStart);
    return { kind: "part", head };
  }

  /**
   * Refuses a boundary directly after the headers. RFC 2046 lets a part without content leave out the line break before the
   * boundary, but some programs read the boundary as content then.
   */
  #readContentStart(): MultipartStep | undefined {
    const isBoundaryLine = this.#startsWith(this.#line);
    if (isBoundaryLine === true)
      return this.#fail("a line break between the headers of a part and the next boundary", "none");
    if (isBoundaryLine === undefined && !this.#isComplete) return more;
    return this.#continueWith(this.#readContent);
  }

  #readContent(): MultipartStep | undefined {
    const found = this.#findDelimiter();
    if (found === -1 && this.#isComplete)
      return this.#fail(
        `a line ${this.#line.toString("latin1")}-- after the last part`,
        "the end of the body",
      );
    if (found !== -1) this.#continueWith(this.#readPartEnd);
    const end = found === -1 ? this.#possibleDelimiter() : found;
    if (end === this.#at) return found === -1 ? more : undefined;
    const bytes = this.#buffer.subarray(this.#at, end);
    this.#at = end;
    this.#contentLength += bytes.length;
    return { kind: "content", bytes };
  }

  /** Returns the position of the delimiter in the unread bytes, or -1. */
  #findDelimiter(): number {
    // Node searches four bytes three times as fast as a whole delimiter. If a file has these bytes, the whole delimiter is
    // searched after them, so that a file of many such bytes is not slow.
    const start = this.#buffer.indexOf(lineStart, this.#at);
    return start === -1 ? -1 : this.#buffer.indexOf(this.#delimiter, start);
  }

  #readPartEnd(): MultipartStep | undefined {
    if (this.#declaredLength !== undefined && this.#declaredLength !== this.#contentLength)
      return this.#fail("a content-length that equals the number of bytes in the part", "another number");
    this.#at += this.#delimiter.length;
    this.#continueWith(this.#readAfterDelimiter);
    return partEnd;
  }

  /** Returns the position at which a delimiter may begin whose rest has not arrived. The end of the buffer if there is none. */
  #possibleDelimiter(): number {
    const buffer = this.#buffer;
    // Only the first byte of a delimiter is a carriage return.
    const at = buffer.lastIndexOf(0x0d);
    const isPossible =
      at >= this.#at &&
      buffer.length - at < this.#delimiter.length &&
      this.#delimiter.subarray(0, buffer.length - at).equals(buffer.subarray(at));
    return isPossible ? at : buffer.length;
  }

  /** Returns true if the unread bytes start with others. `undefined` if more bytes decide. */
  #startsWith(expected: Buffer): boolean | undefined {
    for (let index = 0; index < expected.length; index += 1) {
      const byte = this.#buffer[this.#at + index];
      if (byte !== expected[index]) return byte === undefined ? undefined : false;
    }
    return true;
  }

  #skipBlanks(): void {
    while (this.#buffer[this.#at] === 0x20 || this.#buffer[this.#at] === 0x09) this.#at += 1;
  }

  #continueWith(read: () => MultipartStep | undefined): undefined {
    this.#readState = read;
  }

  #fail(expected: string, received: string): MultipartStep {
    return this.#stayAt(mistake(expected, received));
  }

  #stayAt(step: MultipartStep): MultipartStep {
    this.#readState = () => step;
    return step;
  }
}
