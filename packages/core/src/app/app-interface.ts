import type { CloseOptions, ListenAddress, ServerService, TelemetryCounts } from "@kit/types";

import type { AppListenOptions } from "./listen-options.ts";

/** Application that can be started, or is running. */
export interface App {
  /**
   * Starts the application: loads the output of `kit build`, compares it with the registered routes, starts the
   * plugins, then the server. Resolves to the address that the server listens on.
   *
   * Rejects if the options or the build are invalid, if a plugin fails, or if the server cannot listen. After that,
   * `listen` may be called again.
   *
   * @param options - `port` (0 selects a free one) and `host`, or `path` of a Unix socket.
   */
  listen(options: AppListenOptions): Promise<ListenAddress>;
  /** Starts the application, as {@link App.listen} does. The default port is 3000. */
  start(options?: AppListenOptions): Promise<ListenAddress>;
  /**
   * Responds to a request of the Fetch standard without a server: the same middleware, validation, handlers and errors
   * as over HTTP. For tests, and for platforms that call a function with a `Request`, such as Lambda, Bun, Deno and
   * workers. The first call starts the application, as {@link App.listen} does, but calls no `onReady` of plugins.
   *
   * The function does not use `this`, so it can be passed on: `export default { fetch: app.fetch }`. `ctx.ip` is empty,
   * unless `trustProxy` names a header that contains the address.
   *
   * Rejects if the application cannot start, if it was closed, or if the body of the request cannot be read. If a
   * handler throws, the function does not reject but resolves to the error response.
   *
   * @example
   * ```ts
   * const response = await app.fetch(new Request("http://localhost/notes/7"));
   * response.status; // 404
   * ```
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Closes the application. It sets `/readyz` to 503 and continues to serve for `delayMs` milliseconds. Then it stops
   * accepting connections, waits up to `graceMs` milliseconds (default {@link AppOptions.shutdownGraceMs}) for requests in
   * progress, responds to the remaining requests with 503, and stops the plugins.
   *
   * Rejects with a `RangeError` that names the option if an option is invalid. In that case nothing is closed.
   */
  close(options?: AppCloseOptions): Promise<void>;
  /** Returns the framework's server that the server adapter wraps, such as the application of Express. */
  getNativeServer(): unknown;
  /**
   * Returns the numbers of requests, spans and log entries that telemetry exported or dropped in this process. `null`
   * if telemetry is off, or if the application does not listen yet.
   */
  telemetry(): TelemetryCounts | null;
  /**
   * Returns the service that a server adapter serves, for adapters and for test tools that send requests without a
   * socket.
   */
  service(): Promise<ServerService>;
}

/** Options for closing an application, in milliseconds. */
export interface AppCloseOptions extends Partial<CloseOptions> {
  /**
   * Time to continue serving before the application stops accepting connections. Default
   * the option `shutdownDelayMs`.
   */
  readonly delayMs?: number;
}
