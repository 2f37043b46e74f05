/**
 * Parser of bodies in the format `multipart/form-data` (RFC 7578, on the framing of RFC 2046, section 5.1). The parser is
 * strict: each body that two programs could read differently is refused. `conformance/multipart.json` has the cases, which
 * the Rust target passes, too.
 */
import { parseMediaType, parseParameters } from "./media-type.ts";

/** Part of a multipart body. */
export interface MultipartPart {
  /** Name of the form's field. */
  readonly name: string;
  /** Name of the file, without a path. `undefined` if the part is not a file. */
  readonly fileName: string | undefined;
  /** Type and subtype in lower case. `undefined` if the part has no content type. */
  readonly mediaType: string | undefined;
  /** Content. The bytes are a view of the body. */
  readonly bytes: Uint8Array;
}

/** Framing that the parser refuses, in the words of a validation failure. */
export interface MultipartMistake {
  readonly expected: string;
  readonly received: string;
}

/** Maximum number of parts of one body. */
export const greatestParts = 1000;
/** Maximum number of bytes of the headers of one part. */
export const greatestPartHeaders: number = 16 * 1024;

const boundaryPattern = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const dash = 0x2d;

/** Returns true if the value of the parameter `boundary` is valid (RFC 2046, 5.1.1). */
export function isBoundary(boundary: string | undefined): boundary is string {
  return boundary !== undefined && boundaryPattern.test(boundary);
}

/** Returns the parts of a body in order, or the first mistake in its framing. */
export function parseMultipart(body: Uint8Array, boundary: string): MultipartPart[] | MultipartMistake {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const parts: MultipartPart[] = [];
  let at = firstDelimiter(buffer, delimiter);
  if (at === -1) return mistake(`a line --${boundary} before the first part`, "none");
  for (;;) {
    // `at` is the position after a delimiter.
    if (buffer[at] === dash && buffer[at + 1] === dash) {
      const end = skipBlanks(buffer, at + 2);
      // An epilogue (RFC 2046, 5.1.1) is refused: no client sends it, and some programs would read parts in it.
      const isEnd = end === buffer.length || (isLineEnd(buffer, end) && end + 2 === buffer.length);
      if (!isEnd) return mistake("the end of the body after the last boundary", "other bytes");
      return parts;
    }
    at = skipBlanks(buffer, at);
    if (!isLineEnd(buffer, at)) return mistake("a line break after a boundary", foundAt(buffer, at));
    if (parts.length === greatestParts) return mistake(`at most ${greatestParts} parts`, "more parts");
    const head = readHead(buffer, at);
    if ("expected" in head) return head;
    // RFC 2046 lets a part without content leave out the line break before the boundary, but some programs read the
    // boundary as content then.
    if (startsAt(buffer, head.end, delimiter.subarray(2)))
      return mistake("a line break between the headers of a part and the next boundary", "none");
    const end = buffer.indexOf(delimiter, head.end);
    if (end === -1) return mistake(`a line --${boundary}-- after the last part`, "the end of the body");
    const bytes = buffer.subarray(head.end, end);
    if (head.length !== undefined && head.length !== bytes.length)
      return mistake("a content-length of a part that is the number of its bytes", "another number");
    parts.push({ name: head.name, fileName: head.fileName, mediaType: head.mediaType, bytes });
    at = end + delimiter.length;
  }
}

/**
 * Returns the position after the first delimiter, which starts the body, or follows one line break. A preamble (RFC 2046,
 * 5.1.1) is refused, because no client sends it. -1 if there is no such delimiter.
 */
function firstDelimiter(buffer: Buffer, delimiter: Buffer): number {
  const line = delimiter.subarray(2);
  if (startsAt(buffer, 0, line)) return line.length;
  return startsAt(buffer, 0, delimiter) ? delimiter.length : -1;
}

interface PartHead extends Omit<MultipartPart, "bytes"> {
  /** Position of the content. */
  readonly end: number;
  /** Value of the header `content-length` of the part, which few clients send. */
  readonly length: number | undefined;
}

/** Reads the headers of a part. `at` is the position of the line break before them. */
function readHead(buffer: Buffer, at: number): PartHead | MultipartMistake {
  const end = buffer.indexOf("\r\n\r\n", at, "latin1");
  if (end === -1) return mistake("an empty line after the headers of a part", "none");
  if (end - at > greatestPartHeaders)
    return mistake(`at most ${greatestPartHeaders} bytes of headers in a part`, "more bytes");
  let text: string;
  try {
    text = utf8.decode(buffer.subarray(Math.min(at + 2, end), end));
  } catch {
    return mistake("headers of a part in UTF-8", "other bytes");
  }
  const headers = new Map<string, string>();
  for (const line of text === "" ? [] : text.split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    // oxlint-disable-next-line no-control-regex -- Control characters in headers are refused.
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name) || /[\0-\x08\x0a-\x1f\x7f]/.test(line))
      return mistake("headers of a part as `name: value`", "another line");
    if (headers.has(name)) return mistake(`one header ${name} in a part`, "several");
    headers.set(name, line.slice(colon + 1).trim());
  }
  return describeHead(headers, end + 4);
}

function describeHead(headers: ReadonlyMap<string, string>, end: number): PartHead | MultipartMistake {
  const disposition = headers.get("content-disposition");
  const expected = 'a header `content-disposition: form-data; name="…"` in each part';
  if (disposition === undefined) return mistake(expected, "none");
  const semicolon = disposition.indexOf(";");
  const kind = (semicolon === -1 ? disposition : disposition.slice(0, semicolon)).trim().toLowerCase();
  const parameters = semicolon === -1 ? undefined : parseParameters(disposition, semicolon);
  const name = parameters?.get("name");
  if (kind !== "form-data" || name === undefined) return mistake(expected, "another value");
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding !== undefined && !["7bit", "8bit", "binary"].includes(encoding))
    return mistake("parts without a content-transfer-encoding", encoding.slice(0, 40));
  const type = headers.get("content-type");
  const mediaType = type === undefined ? undefined : parseMediaType(type);
  if (type !== undefined && mediaType === undefined)
    return mistake("a media type as the content-type of a part", "another value");
  if (
    mediaType?.parameters.get("charset") !== undefined &&
    !/^utf-?8$/i.test(mediaType.parameters.get("charset")!)
  )
    return mistake("text in UTF-8 in each part", "another charset");
  const length = headers.get("content-length");
  if (length !== undefined && !/^[0-9]{1,15}$/.test(length))
    return mistake("a content-length of a part that is the number of its bytes", "another value");
  const fileName = parameters!.get("filename");
  return {
    name: decodeName(name),
    fileName: fileName === undefined ? undefined : baseName(decodeName(fileName)),
    mediaType: mediaType?.type,
    end,
    length: length === undefined ? undefined : Number(length),
  };
}

/** Decodes the three characters that browsers escape in names (WHATWG HTML, 4.10.21.8). */
function decodeName(text: string): string {
  if (!text.includes("%")) return text;
  return text.replaceAll(/%(?:22|0D|0A)/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
}

/** Returns the last part of a path (RFC 7578, 4.2), so that a name such as `../../etc/passwd` is harmless. */
function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

function startsAt(buffer: Buffer, at: number, bytes: Buffer): boolean {
  return buffer.subarray(at, at + bytes.length).equals(bytes);
}

function skipBlanks(buffer: Buffer, from: number): number {
  let at = from;
  while (buffer[at] === 0x20 || buffer[at] === 0x09) at += 1;
  return at;
}

function isLineEnd(buffer: Buffer, at: number): boolean {
  return buffer[at] === carriageReturn && buffer[at + 1] === lineFeed;
}

function foundAt(buffer: Buffer, at: number): string {
  return at >= buffer.length ? "the end of the body" : "other bytes";
}

function mistake(expected: string, received: string): MultipartMistake {
  return { expected, received };
}
