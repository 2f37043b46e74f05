/** Headers of a part in a body of the format `multipart/form-data` (RFC 7578, 4). */
import { parseMediaType, parseParameters } from "./media-type.ts";

/** Description of a part, from its headers. */
export interface PartHead {
  /** Name of the form's field. */
  readonly name: string;
  /** Name of the file, without a path. `undefined` if the part is not a file. */
  readonly fileName: string | undefined;
  /** Type and subtype in lower case. `undefined` if the part has no content type. */
  readonly mediaType: string | undefined;
  /** Value of the header `content-length` of the part, which few clients send. */
  readonly length: number | undefined;
}

/** Framing that the parser refuses, in the words of a validation failure. */
export interface MultipartMistake {
  readonly kind: "mistake";
  readonly expected: string;
  readonly received: string;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Creates a mistake. */
export function mistake(expected: string, received: string): MultipartMistake {
  return { kind: "mistake", expected, received };
}

/** Reads the headers of a part. `bytes` are the lines without the last line break. */
export function readPartHead(bytes: Uint8Array): PartHead | MultipartMistake {
  let text: string;
  try {
    text = utf8.decode(bytes);
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
  return describeHead(headers);
}

function describeHead(headers: ReadonlyMap<string, string>): PartHead | MultipartMistake {
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
    return mistake("a content-length that equals the number of bytes in the part", "another value");
  const fileName = parameters!.get("filename");
  return {
    name: decodeName(name),
    fileName: fileName === undefined ? undefined : baseName(decodeName(fileName)),
    mediaType: mediaType?.type,
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
