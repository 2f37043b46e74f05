/** File of the API reference, as the server sends it. */
export interface ApiDocsFile {
  /** Value of the header `content-type`. */
  readonly contentType: string;
  /** Hash of the content, from which the `etag` is made. */
  readonly hash: string;
  /** Stored bytes, compressed if {@link ApiDocsFile.isGzipped} is true. */
  readonly body: Uint8Array;
  /** True if the stored body is compressed with gzip. */
  readonly isGzipped: boolean;
}

/**
 * Links of the API reference's page, relative to the page itself, because a proxy in front of kit may add a path
 * prefix.
 */
export interface ApiDocsLinks {
  /** Directory from which the page loads {@link ApiDocs.files}, with a slash at its end. */
  readonly files: string;
  /** URL of the OpenAPI document. */
  readonly document: string;
  /** URL of the AsyncAPI document. Absent if the application has neither WebSockets nor events. */
  readonly messages?: string;
  /** Root of the API, to which the paths of the document are appended. */
  readonly root: string;
}

/** API reference that `@kit/api-docs` provides and the runtime serves. */
export interface ApiDocs {
  /** Version of this interface. The runtime refuses other versions. */
  readonly version: 1;
  /** Value of the header `content-security-policy` that the page requires. */
  readonly contentSecurityPolicy: string;
  /** Names of the files that the page loads. */
  readonly files: readonly string[];
  /** Returns the page as HTML. */
  page(links: ApiDocsLinks): string;
  /** Reads one of {@link ApiDocs.files}. Rejects if the file cannot be read. */
  file(name: string): Promise<ApiDocsFile>;
}
