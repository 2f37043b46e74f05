/** Bytes of which clients can ask for ranges, as handlers return them. */
import { attachmentOf } from "./content-disposition.ts";

/** File of a download. */
export interface DownloadFile {
  /**
   * Directory of the file. A relative path begins at the project's root, the directory that contains `.kit/`. The
   * application chooses the directory: no part of the path may come from a client.
   */
  readonly dir: string;
  /**
   * Path of the file in the directory, such as `2026/report.pdf`. A client may choose the name. kit responds with 404
   * `NOT_FOUND` if the file does not exist, if the name leads out of the directory, or if a part of the name begins
   * with a dot.
   */
  readonly name: string;
}

/** Bytes from a database, an object store or another service, of which kit reads the part that a client needs. */
export interface DownloadSource {
  /** Number of all bytes. */
  readonly size: number;
  /** Entity tag in quotes, such as `"7"`. It changes when the bytes change. Without a tag, clients cannot continue a download safely. */
  readonly etag?: string | undefined;
  /** Time of the last change. Headers have whole seconds. */
  readonly lastModified?: Date | undefined;
  /**
   * Returns the bytes from the position `first` to the position `last`, both included. kit reads only as fast as the
   * client receives. If the iterable has more or fewer bytes than requested, kit closes the connection. kit does not
   * call the function if it sends no bytes, as for HEAD.
   *
   * @param signal - Aborted when nobody needs the bytes any more: the client has disconnected, or the application closes.
   */
  read(
    first: number,
    last: number,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
}

/** Options of {@link download}. */
export interface DownloadOptions {
  /** Name under which browsers save the file. Browsers may show a file without this option. Default: none. */
  readonly attachment?: string;
  /** Value of the header `cache-control`. Default: the value that `ctx.header` has set, otherwise `private, no-cache`. */
  readonly cacheControl?: string;
}

/** Matches entity tags (RFC 9110, 8.8.3), in ASCII as all headers that an application sets. */
const tagPattern = /^(?:W\/)?"[\x21\x23-\x7e]*"$/;

/** Result of {@link download}, which the handler of a contract with `Download` returns. */
export class DownloadResponse {
  /** Exists only for the type checker, which uses it to distinguish responses from properties that middleware adds. */
  declare readonly onlyHandlersReturnThis: true;
  readonly source: DownloadFile | DownloadSource | Uint8Array;
  /** Value of the header `content-disposition`. `null` if there is none. */
  readonly disposition: string | null;
  readonly cacheControl: string | null;

  constructor(
    source: DownloadFile | DownloadSource | Uint8Array,
    { attachment, cacheControl }: DownloadOptions = {},
  ) {
    if (!(source instanceof Uint8Array)) checkSource(source);
    this.source = source;
    this.disposition = attachment === undefined ? null : attachmentOf(attachment);
    this.cacheControl = cacheControl ?? null;
  }

  /** @throws {TypeError} Always. A route without `Download` would send an empty object. */
  toJSON(): never {
    throw new TypeError(
      "A handler returned the result of download(…), but its contract has another response; write `Download<…>` as the response of the contract",
    );
  }
}

/**
 * Returns a download: a file, bytes in memory, or bytes that a function reads. Only handlers of contracts with `Download` return
 * the result. kit answers ranges (`range`, `if-range`), preconditions (`if-none-match`, `if-modified-since`, `if-match`,
 * `if-unmodified-since`) and HEAD.
 *
 * @param source - File, source or bytes.
 * @example
 * ```ts
 * "GET /reports/:id": ({ params }) =>
 *   download({ dir: "reports", name: `${params.id}.pdf` }, { attachment: `Report ${params.id}.pdf` }),
 * ```
 * @throws {TypeError} If the source or an option is invalid.
 */
export function download(
  source: DownloadFile | DownloadSource | Uint8Array,
  options: DownloadOptions = {},
): DownloadResponse {
  return new DownloadResponse(source, options);
}

function checkSource(source: DownloadFile | DownloadSource): void {
  if (typeof source !== "object" || source === null || !("dir" in source || "read" in source)) {
    throw new TypeError(
      "download: the first argument must be a file { dir, name }, a source { size, read } or a Uint8Array",
    );
  }
  if ("dir" in source) {
    const { dir, name } = source as { dir: unknown; name: unknown };
    if (typeof dir !== "string" || dir === "")
      throw new TypeError('download: `dir` must be the path of a directory, such as "reports"');
    if (typeof name !== "string") throw new TypeError("download: `name` must be the path of a file in `dir`");
    return;
  }
  const { size, etag, lastModified, read } = source;
  if (!Number.isSafeInteger(size) || size < 0)
    throw new TypeError(`download: \`size\` must be a number of bytes, not ${String(size)}`);
  if (etag !== undefined && (typeof etag !== "string" || !tagPattern.test(etag)))
    throw new TypeError(
      `download: \`etag\` must be an entity tag in quotes, such as "\\"7\\"", not ${JSON.stringify(etag)}`,
    );
  if (lastModified !== undefined && !(lastModified instanceof Date && !Number.isNaN(lastModified.getTime())))
    throw new TypeError("download: `lastModified` must be a valid Date");
  if (typeof read !== "function")
    throw new TypeError("download: `read` must be a function of the first and the last position");
}
