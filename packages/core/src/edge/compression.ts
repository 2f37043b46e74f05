import { chooseCoding, type CodingChoice, type ContentCoding } from "./accept-encoding.ts";

/** Options for compressed responses. */
export interface CompressionOptions {
  /**
   * Codings that the application may use, with the preferred coding first. kit chooses the coding with the highest
   * weight of the client; if weights are equal, kit chooses the first coding in this list. Default `["br", "gzip"]`.
   */
  readonly encodings?: readonly ContentCoding[];
  /**
   * kit compresses bodies of at least this number of bytes. Smaller bodies fit into one network packet without
   * compression. Streams have no known length and are always compressed. Default 1024.
   */
  readonly minBytes?: number;
}

/** Validated {@link CompressionOptions} with their defaults. */
export interface ReadCompression {
  readonly encodings: readonly ContentCoding[];
  readonly minBytes: number;
}

/** Head of a response, before compression. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string | null;
  /** Headers as a list of lower-case name, value, name, value. */
  readonly headers: readonly string[] | null;
  /** Number of bytes of the body. `null` if the number is unknown, because the body is a stream. */
  readonly length: number | null;
}

/** Decision about the compression of a response. */
export interface CompressionPlan {
  /** Coding of the body. `null` to send the body unchanged. */
  readonly coding: ContentCoding | null;
  /** True if the coding depends on the request, so that the response needs `vary: accept-encoding`. */
  readonly varies: boolean;
}

/**
 * Content types whose bodies become smaller, in addition to `text/*`, `*+json`, `*+text` and `*+xml`. Others, such as
 * images, are compressed already. `conformance/compression.json` has the same list. The counterpart for the Rust server
 * is `crates/kit-runtime/src/http/compression.rs`.
 */
export const compressibleTypes: readonly string[] = [
  "application/graphql",
  "application/javascript",
  "application/json",
  "application/jsonl",
  "application/rtf",
  "application/sql",
  "application/toml",
  "application/wasm",
  "application/x-javascript",
  "application/x-ndjson",
  "application/x-www-form-urlencoded",
  "application/x-yaml",
  "application/xml",
  "application/yaml",
  "font/otf",
  "font/ttf",
  "image/bmp",
  "image/vnd.microsoft.icon",
  "image/x-icon",
];

const compressible: ReadonlySet<string> = new Set(compressibleTypes);

/** Headers that describe the exact bytes of a body. A response with such a header is never compressed. */
const ofTheBytes: ReadonlySet<string> = new Set([
  "content-digest",
  "content-encoding",
  "content-md5",
  "content-range",
  "digest",
  "repr-digest",
]);

const unchanged: CompressionPlan = { coding: null, varies: false };
const variesOnly: CompressionPlan = { coding: null, varies: true };

/** Decides which responses of one application are compressed. */
export class Compression {
  readonly #options: ReadCompression;

  constructor(options: ReadCompression) {
    this.#options = options;
  }

  /** Returns the plan for a response with a body. `accepted` returns the request header `accept-encoding`. */
  plan(head: ResponseHead, accepted: () => string | undefined): CompressionPlan {
    const { status, contentType, headers, length } = head;
    if (status === 304) return variesOnly;
    if (length === 0 || status === 204 || status === 205 || status === 206) return unchanged;
    if (headers !== null && !mayTransform(headers)) return unchanged;
    const isWorthwhile =
      (length === null || length >= this.#options.minBytes) && isCompressibleType(contentType);
    const { coding, isRequired }: CodingChoice = chooseCoding(accepted(), this.#options.encodings);
    if (isWorthwhile || (coding !== null && isRequired)) return { coding, varies: true };
    return unchanged;
  }
}

/**
 * Returns false if the headers forbid to change the form of the body (`no-transform`, RFC 9111, 5.2.2.6), or
 * describe its exact bytes.
 */
function mayTransform(headers: readonly string[]): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    const value = headers[index + 1]!.toLowerCase();
    if (ofTheBytes.has(name)) return false;
    if (name === "cache-control" && value.split(",").some((directive) => directive.trim() === "no-transform"))
      return false;
    // A client would ask for ranges of the compressed bytes, but the handler selects them from the others.
    if (name === "accept-ranges" && value.trim() !== "none") return false;
  }
  return true;
}

function isCompressibleType(contentType: string | null): boolean {
  if (contentType === null) return false;
  const end = contentType.indexOf(";");
  const type = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  return (
    type.startsWith("text/") ||
    type.endsWith("+json") ||
    type.endsWith("+xml") ||
    type.endsWith("+text") ||
    compressible.has(type)
  );
}

/** Returns the headers of a compressed response. A strong entity tag becomes a weak one (RFC 9110, 8.8.3.3). */
export function headersOfCompressed(own: readonly string[], coding: ContentCoding): readonly string[] {
  const headers: string[] = [];
  for (let index = 0; index < own.length; index += 2) {
    const name = own[index]!;
    const value = own[index + 1]!;
    headers.push(name, name === "etag" && value.startsWith('"') ? `W/${value}` : value);
  }
  headers.push("content-encoding", coding);
  return headers;
}
