/** A file of the API reference as it is sent. */
export interface ApiDocsFile {
  readonly contentType: string;
  /** Changes with the content; the `etag` is made of it. */
  readonly hash: string;
  /** As it is stored. */
  readonly body: Uint8Array;
  /** Whether the stored body is compressed with gzip. */
  readonly isGzipped: boolean;
}

/** Links of the API reference's page, relative to the page itself: whoever serves it may stand behind a prefix. */
export interface ApiDocsLinks {
  /** The directory of {@link ApiDocs.file}, with a slash at its end. */
  readonly files: string;
  /** The OpenAPI document. */
  readonly document: string;
  /** The root of the API, to which paths of the document are appended. */
  readonly root: string;
}

/** What `@kit/api-docs` gives the runtime to serve. */
export interface ApiDocs {
  /** Version of this interface; the runtime refuses another one. */
  readonly version: 1;
  /** The value of `content-security-policy` under which the page works. */
  readonly contentSecurityPolicy: string;
  /** Names of the files that the page loads. */
  readonly files: readonly string[];
  /** The page, as HTML. */
  page(links: ApiDocsLinks): string;
  /** One of {@link ApiDocs.files}. Rejects where it cannot be read. */
  file(name: string): Promise<ApiDocsFile>;
}
