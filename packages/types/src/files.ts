/** Directory whose files are served. `createApp` creates it from its option `staticFiles`, and has checked all values. */
export interface FileSite {
  /** Absolute path of the directory, without symbolic links. */
  readonly root: string;
  /** Path below which the files are served, such as `/assets`. Empty for all paths. */
  readonly prefix: string;
  /** Headers of each response with a file: lower-case name, value, name, value. */
  readonly headers: readonly string[];
  /** True to send files such as `app.js.br` to clients that accept their coding. */
  readonly precompressed: boolean;
  /** Names of the directories and of the file that stands for paths without a file. `null` if there is none. */
  readonly spa: readonly string[] | null;
  /** Paths that `spa` does not apply to, with all paths below them. */
  readonly spaExcept: readonly string[];
  /** True to serve names that begin with a dot. */
  readonly dotFiles: boolean;
  /** True to follow symbolic links that lead out of the directory. */
  readonly followSymlinks: boolean;
}

/**
 * Static files that an adapter may serve without the service: GET and HEAD requests without a body, if no route matches
 * the path. The adapter passes all other requests on, and all requests without a file, also those that end with an error.
 */
export interface ServedFiles {
  /** Directories. The first one that has a file for the path serves it. */
  readonly sites: readonly FileSite[];
  /** Paths that the service serves itself, such as `/healthz`, without a slash at the end. */
  readonly reserved: readonly string[];
  /** Headers of each response in addition to the headers of the site: name, value, name, value. */
  readonly headers: readonly string[];
  /** True if `headers` are different for requests with the header `origin`, which the adapter must pass on. */
  readonly dependsOnOrigin: boolean;
}
