/** Directory whose files are served, see the option `staticFiles` of `createApp`. */
export interface StaticFilesOptions {
  /** Directory with the files. A relative path begins at the project's root, the directory that contains `.kit/`. */
  readonly dir: string;
  /** Path below which the files are served, such as `/assets`. Default `/`. */
  readonly prefix?: string;
  /** Value of the header `cache-control`. Default `no-cache`: clients ask each time if the file has changed. */
  readonly cacheControl?: string;
  /** Further headers of the responses, such as `content-security-policy`. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * True to send `app.js.br`, `app.js.zst` or `app.js.gz` in place of `app.js` if the file exists and the client accepts
   * the coding. Default false.
   */
  readonly precompressed?: boolean;
  /**
   * File for paths without a file, such as `index.html`, for applications with their own routes in the browser. It is
   * sent only if the header `accept` names `text/html`, as browsers do for pages. Default: none.
   */
  readonly spa?: string;
  /** Paths that the option `spa` does not apply to, with all paths below them, such as `/api`. Default: none. */
  readonly spaExcept?: readonly string[];
  /** True to serve names that begin with a dot. Default false: only the directory `.well-known` is served. */
  readonly dotFiles?: boolean;
  /** True to follow symbolic links that lead out of `dir`. Default false: such files do not exist for clients. */
  readonly followSymlinks?: boolean;
}

/** Validated {@link StaticFilesOptions} with their defaults. The directory is not looked up yet. */
export interface ReadStaticFiles {
  /** Name of the option in messages, such as `staticFiles[0]`. */
  readonly name: string;
  readonly dir: string;
  /** Path below which the files are served. Empty for `/`. */
  readonly prefix: string;
  /** Headers of each response: lower-case name, value, name, value. */
  readonly headers: readonly string[];
  readonly precompressed: boolean;
  readonly spa: string | null;
  readonly spaExcept: readonly string[];
  readonly dotFiles: boolean;
  readonly followSymlinks: boolean;
}
