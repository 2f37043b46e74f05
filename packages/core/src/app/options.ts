import type { CompiledApplication, ServerAdapter, ServerLimits, TelemetrySettings } from "@kit/types";

import type { CompressionOptions, ReadCompression } from "../edge/compression.ts";
import type { ReadStaticFiles, StaticFilesOptions } from "../files/static-files.ts";
import type { EtagOptions, ReadEtag } from "../edge/conditional.ts";
import type { CorsOptions, ReadCors } from "../edge/cors.ts";
import type { CsrfOptions, ReadCsrf } from "../edge/csrf.ts";
import type { SecurityHeadersOptions } from "../edge/security-headers.ts";
import type { ErrorMiddleware } from "../error-middleware.ts";
import type { ReadErrors } from "../errors/error-writer.ts";
import type { AnyHandlers } from "../request/handlers.ts";
import { credentialNames } from "../logging/credentials.ts";
import { type LogLevel, severityOf } from "../logging/log-entry.ts";
import type { MiddlewareItem } from "../request/middleware.ts";
import type { HealthOptions, ReadHealth } from "../request/health.ts";
import { isByteCount } from "./byte-count.ts";
import { type CookieKeyOptions, readCookieKeys } from "./cookies-option.ts";
import type { ReadRequestLog, RequestLogOptions } from "../request/request-log.ts";
import type { ReadSockets, SocketsOptions } from "../sockets/sockets-options.ts";
import { readSockets } from "./sockets-option.ts";
import { readCompression } from "./compression-option.ts";
import { readCors } from "./cors-option.ts";
import { readCsrf } from "./csrf-option.ts";
import { type DocsOptions, type ReadDocs, readDocs } from "./docs-option.ts";
import { type Environment, environmentOf, environments } from "../environment.ts";
import { type ErrorsOptions, readErrors } from "./errors-option.ts";
import { readStaticFiles } from "./static-files-option.ts";
import { readEtag } from "./etag-option.ts";
import { readRequestLog } from "./request-log-option.ts";
import { readHealth } from "./health-options.ts";
import { isMilliseconds, longestTimeoutMs } from "./milliseconds.ts";
import type { Plugin } from "./plugin.ts";
import { readSecurityHeaders } from "./security-headers-option.ts";
import { readTelemetry, type TelemetryOptions } from "./telemetry-options.ts";
import { suggestName } from "./suggestion.ts";
import { withoutServer } from "./without-server.ts";
import { RequestOrigin } from "../request/request-origin.ts";
import {
  compileTrustedOrigin,
  compileTrustProxy,
  type FindAddress,
  type TrustProxy,
} from "../request/trust-proxy.ts";

/** Options of one route, in {@link RouteGroup.on}. */
export interface RouteOptions {
  /**
   * Middleware of this route. It runs in one chain with the middleware of the application and of the groups, by
   * priority.
   */
  readonly middleware?: readonly MiddlewareItem[];
  /**
   * Limits of requests to this route. They replace the application's limits, and may be smaller or larger.
   */
  readonly limits?: Partial<ServerLimits>;
  /**
   * Timeout of requests to this route in milliseconds. Replaces {@link AppOptions.requestTimeoutMs}. 0 for no
   * timeout.
   */
  readonly requestTimeoutMs?: number;
  /**
   * Minimum number of bytes per second that a client must send, for a route with `Upload`, `Uploads` or `Lines` in its
   * request. Replaces the option of the server with the same name. 0 for no minimum: each byte then restarts
   * `bodyIdleTimeoutMs`.
   */
  readonly bodyMinBytesPerSecond?: number;
  /**
   * Options of the WebSockets of this route, for a route with the key `WS …`. Each replaces the option of {@link
   * AppOptions.sockets}. The maximum size of a message is `limits.bodyBytes`.
   */
  readonly sockets?: SocketsOptions;
}

/** Group of handlers with a common path prefix and middleware. A group may contain groups. */
export interface RouteGroup {
  /**
   * Prefix of the paths in the handlers' keys. A path that starts with the prefix already is not changed. Default: no
   * prefix. In nested groups, the prefix of the inner group is added first, then the prefix of the outer group.
   */
  readonly prefix?: string;
  /** Map that `defineHandlers` returned. */
  readonly handlers?: AnyHandlers;
  /** Middleware of this group. It runs together with the global middleware, in one chain by priority. */
  readonly middleware?: readonly MiddlewareItem[];
  /**
   * Options of single routes, by the handlers' keys: `{ "POST /notes": { limits: { bodyBytes: 65_536 } } }`.
   */
  readonly on?: Readonly<Record<string, RouteOptions>>;
  /** Groups inside of this group. They get the prefix and the middleware of this group. */
  readonly routes?: readonly RouteGroup[];
}

/** Options for the log. */
export interface LoggingOptions {
  /** Minimum level of entries to write. Default `info`. */
  readonly level?: LogLevel;
  /**
   * Names of properties whose values the log hides, in addition to credentials. A pattern is a name, or several names
   * joined by dots. The case of names does not matter, and `*` stands for any single name. `iban` hides every property
   * of this name, and `*.pin` hides every `pin` inside of an object.
   */
  readonly redact?: readonly string[];
  /**
   * True to hide headers and properties that usually contain credentials, such as `authorization`, `cookie`,
   * `password`, `token` and `apiKey`. Default true. `docs/guide/observability.md` lists the names.
   */
  readonly redactDefaults?: boolean;
  /**
   * Level of errors with a status from 400 to 499 that middleware or a handler throws (`ctx.fail(404, …)`, `AppError`).
   * Default `error`, which is the level of all thrown errors. This option does not affect requests that the router or
   * the validation refuses: these are logged at `warn`.
   */
  readonly clientErrors?: LogLevel;
}

/** Options of {@link createApp}. */
export interface AppOptions {
  /** Server adapter, such as `nativeServer()`. Required for `listen`; `app.fetch` works without a server. */
  readonly server?: ServerAdapter;
  /** Routes of the application. */
  readonly routes: readonly RouteGroup[];
  /** Middleware of every route. The middleware does not run for a request that matches no route. */
  readonly middleware?: readonly MiddlewareItem[];
  /** Plugins, which start in this order and stop in the reverse order. */
  readonly plugins?: readonly Plugin[];
  /** Options for the log. */
  readonly logging?: LoggingOptions;
  /** Options for traces, metrics and logs of OpenTelemetry. Default: off. Requires the package `@kit/otel`. */
  readonly telemetry?: TelemetryOptions;
  /**
   * Output of `kit build`. Required only if a bundler includes it in the program. Default: loaded from the directory
   * `.kit/` next to the program's entry module or in a parent directory.
   */
  readonly compiled?: CompiledApplication;
  /** Limits of requests. `bodyBytes` is the maximum size of a request body in bytes, default 1 MiB (1,048,576). */
  readonly limits?: Partial<ServerLimits>;
  /**
   * Environment of the application. Default: `NODE_ENV`, or `production` if `NODE_ENV` is not set or has another value.
   */
  readonly env?: Environment;
  /**
   * Function that creates the responses to failures. Default: `createErrorMiddleware()` for the environment. If the
   * option `errors` is set too, the body of each response must be kit's envelope, and the format makes the final body
   * from the envelope.
   */
  readonly errorMiddleware?: ErrorMiddleware;
  /**
   * Format of error bodies: kit's envelope, problem details of RFC 9457, or a type of your own. Also sets the status of
   * validation errors, 400 or 422. All errors have this format, also the errors of the HTTP server. Default: the
   * envelope, and 400.
   */
  readonly errors?: ErrorsOptions;
  /**
   * Maximum duration of a request in milliseconds, from its arrival to its response. Default 30,000. With 0 there is no
   * limit. After that time kit responds with 503 `REQUEST_TIMEOUT`, aborts `ctx.signal`, and discards the later result
   * of the handler. The actual timeout can be up to 5 % longer.
   */
  readonly requestTimeoutMs?: number;
  /**
   * Proxies that kit trusts to report the address of the client, for `ctx.ip`. Default `false`: no proxy. The value is
   * a number of proxies, a list of their addresses (`["loopback", "10.0.0.0/8"]`), or either of these with the header
   * that the proxies write: `{ proxies: 1, header: "forwarded" }`. The default header is `X-Forwarded-For`. With
   * `scheme: true` and `host: true`, the proxies also report the scheme and the host that the client uses, for `ctx.origin`
   * and for the checks of origins: `{ proxies: 1, scheme: true, host: true }`.
   */
  readonly trustProxy?: TrustProxy;
  /**
   * Origins of web pages that may call this application from a browser (CORS): `{ origins: ["https://app.example.com"]
   * }`. Default: none. kit responds to preflight requests itself, before any middleware, and adds the headers to every
   * response, also to errors.
   */
  readonly cors?: CorsOptions;
  /**
   * True, or an object, to refuse requests that change data if a web page of another site has sent them (CSRF). The
   * response is 403 `CROSS_SITE_REQUEST`. Necessary if browsers authenticate with cookies. Default `false`.
   */
  readonly csrf?: boolean | CsrfOptions;
  /**
   * True to send headers that forbid browsers to misuse responses, such as `content-security-policy` and
   * `strict-transport-security`, with values for an API. An object changes or leaves out single headers. Every response
   * has these headers, including errors and responses to input that is not HTTP. If a handler sets a header with the
   * same name, kit does not replace it. Default `false`.
   */
  readonly securityHeaders?: boolean | SecurityHeadersOptions;
  /** Options for cookies: the keys of signed cookies. See `ctx.cookie`. */
  readonly cookies?: CookieKeyOptions;
  /**
   * True, or an object, to compress responses with brotli or gzip if the client accepts it. Streams are compressed too.
   * A response with `cache-control: no-transform` or its own `content-encoding` stays unchanged. Default `false`.
   * `docs/guide/compression.md` explains the risk for secrets (BREACH).
   */
  readonly compression?: boolean | CompressionOptions;
  /** Options of all WebSockets: the time between pings, and compression of messages. */
  readonly sockets?: SocketsOptions;
  /**
   * True to add entity tags to responses of GET, and to respond with 304 if a client has the current body already. An
   * object such as `{ generate: false }` uses only the tags that handlers set. If a precondition such as `if-match` is
   * false, the response is 412. Default `false`.
   */
  readonly etag?: boolean | EtagOptions;
  /**
   * Directories whose files are served, such as `{ dir: "public" }`, or a list of them. Routes take precedence. No
   * middleware runs for files. Default: none.
   */
  readonly staticFiles?: StaticFilesOptions | readonly StaticFilesOptions[];
  /**
   * True, or an object, to write one log entry for each request: its method, path, route, status, duration, bytes and
   * address. Default `false`.
   */
  readonly requestLog?: boolean | RequestLogOptions;
  /**
   * True, or an object, to serve `/healthz` and `/readyz`. `/healthz` responds with 200 while the process works.
   * `/readyz` responds with 200 if the application is ready for requests, and with 503 before the plugins' `onReady`,
   * after the application begins to close, and while a check fails. Default `false`.
   */
  readonly health?: boolean | HealthOptions;
  /**
   * True, or an object, to serve an API reference at `/docs`, or at `path`. Requires the package `@kit/api-docs`.
   * Default: true if the package is installed and `env` is `development` or `test`. The reference is public: no
   * middleware runs for it.
   */
  readonly docs?: boolean | DocsOptions;
  /**
   * True to serve the OpenAPI document at `/openapi.json`, and the AsyncAPI document at `/asyncapi.json` if the application
   * has WebSockets or events. Default: true if `env` is `development` or `test`. The documents are public: no middleware
   * runs for them.
   */
  readonly openapi?: boolean;
  /**
   * Milliseconds that the application continues to serve after SIGTERM, SIGINT or `close`, with `/readyz` at 503,
   * before it stops accepting connections. Default 0. Load balancers and Kubernetes services need this time to stop
   * sending requests.
   */
  readonly shutdownDelayMs?: number;
  /**
   * Milliseconds that requests in progress may take after the application stopped accepting connections. The remaining
   * requests get 503. Default: the longest timeout of a request (`requestTimeoutMs` of the application and its routes), at
   * least 10,000.
   */
  readonly shutdownGraceMs?: number;
  /** True to close the application and exit the process on SIGTERM and SIGINT. Default true. */
  readonly signals?: boolean;
}

/**
 * All valid names in each object of options. Without a check of names, a misspelt name would silently leave a
 * default in place.
 */
const known: Readonly<Record<keyof AppOptions, true>> = {
  server: true,
  routes: true,
  middleware: true,
  plugins: true,
  logging: true,
  telemetry: true,
  compiled: true,
  limits: true,
  env: true,
  errorMiddleware: true,
  errors: true,
  shutdownDelayMs: true,
  shutdownGraceMs: true,
  signals: true,
  requestTimeoutMs: true,
  trustProxy: true,
  cors: true,
  csrf: true,
  securityHeaders: true,
  cookies: true,
  compression: true,
  sockets: true,
  etag: true,
  staticFiles: true,
  requestLog: true,
  health: true,
  docs: true,
  openapi: true,
};

const knownInLogging: Readonly<Record<keyof LoggingOptions, true>> = {
  level: true,
  redact: true,
  redactDefaults: true,
  clientErrors: true,
};
const knownInLimits: Readonly<Record<keyof ServerLimits, true>> = { bodyBytes: true };

const defaultBodyBytes = 1024 * 1024;
const defaultRequestTimeoutMs = 30_000;

/** Validated options with their defaults. */
export interface ReadOptions {
  readonly server: ServerAdapter;
  readonly routes: readonly RouteGroup[];
  readonly middleware: readonly MiddlewareItem[];
  readonly plugins: readonly Plugin[];
  readonly logLevel: LogLevel;
  readonly clientErrors: LogLevel;
  readonly redact: readonly string[];
  readonly compiled: CompiledApplication | undefined;
  readonly limits: ServerLimits;
  readonly isDevelopment: boolean;
  /** True to serve `/openapi.json`. */
  readonly servesDocument: boolean;
  readonly errorMiddleware: ErrorMiddleware | undefined;
  /** Error format. `null` if the option `errors` changes nothing. */
  readonly errors: ReadErrors | null;
  readonly signals: boolean;
  readonly requestTimeoutMs: number;
  readonly shutdownDelayMs: number;
  readonly shutdownGraceMs: number | undefined;
  readonly findAddress: FindAddress;
  readonly origin: RequestOrigin;
  readonly health: ReadHealth | null;
  readonly cors: ReadCors | null;
  readonly csrf: ReadCsrf | null;
  /** Security headers as a list of name, value, name, value. Empty if the option is off. */
  readonly securityHeaders: readonly string[];
  /** Keys of signed cookies. Empty if there are none. */
  readonly cookieKeys: readonly string[];
  readonly compression: ReadCompression | null;
  readonly sockets: ReadSockets;
  readonly etag: ReadEtag | null;
  readonly staticFiles: readonly ReadStaticFiles[];
  readonly requestLog: ReadRequestLog | null;
  readonly docs: ReadDocs | null;
  /** Settings of telemetry. `null` if all telemetry is off. */
  readonly telemetry: TelemetrySettings | null;
}

/**
 * Validates the options, including rules that their types cannot express. JavaScript programs depend on this check.
 *
 * @throws {TypeError} If an option is invalid. The message names the option.
 */
export function readOptions(options: AppOptions): ReadOptions {
  if (typeof options !== "object" || options === null)
    throw new TypeError("createApp requires an object of options");
  requireKnown(options, known, "");
  const { routes, middleware = [], plugins = [], logging = {}, telemetry = {}, limits = {} } = options;
  // `server: undefined` is a mistake, such as a wrong import, and not an application without a server.
  const server = Object.hasOwn(options, "server") ? options.server! : withoutServer;
  if (typeof (server as Partial<ServerAdapter> | undefined)?.listen !== "function") {
    throw new TypeError("createApp: `server` must be a server adapter such as nativeServer()");
  }
  requireList(routes, "routes");
  requireList(middleware, "middleware");
  requireList(plugins, "plugins");
  for (const [index, plugin] of plugins.entries()) requirePlugin(plugin, `plugins[${index}]`);
  requireObject(logging, "logging");
  requireKnown(logging, knownInLogging, "logging.");
  const { level = "info", redact = [], redactDefaults = true, clientErrors = "error" } = logging;
  for (const [name, given] of Object.entries({ level, clientErrors })) {
    if (Object.hasOwn(severityOf, given)) continue;
    throw new TypeError(
      `createApp: \`logging.${name}\` must be one of ${Object.keys(severityOf).join(", ")}`,
    );
  }
  requireList(redact, "logging.redact");
  if (!redact.every((pattern: unknown) => typeof pattern === "string")) {
    throw new TypeError("createApp: `logging.redact` must be an array of strings such as `*.password`");
  }
  if (typeof redactDefaults !== "boolean") {
    throw new TypeError("createApp: `logging.redactDefaults` must be true or false");
  }
  requireObject(limits, "limits");
  requireKnown(limits, knownInLimits, "limits.");
  const { bodyBytes = defaultBodyBytes } = limits;
  if (!isByteCount(bodyBytes)) {
    throw new TypeError("createApp: `limits.bodyBytes` must be a whole number of bytes");
  }
  if (options.env !== undefined && !environments.includes(options.env)) {
    throw new TypeError(`createApp: \`env\` must be one of ${environments.join(", ")}`);
  }
  if (options.errorMiddleware !== undefined && typeof options.errorMiddleware !== "function") {
    throw new TypeError("createApp: `errorMiddleware` must be a function such as createErrorMiddleware()");
  }
  const { requestTimeoutMs = defaultRequestTimeoutMs, shutdownDelayMs = 0, shutdownGraceMs } = options;
  requireMilliseconds(requestTimeoutMs, "requestTimeoutMs");
  requireMilliseconds(shutdownDelayMs, "shutdownDelayMs");
  if (shutdownGraceMs !== undefined) requireMilliseconds(shutdownGraceMs, "shutdownGraceMs");
  if (options.openapi !== undefined && typeof options.openapi !== "boolean") {
    throw new TypeError("createApp: `openapi` must be true or false");
  }
  const env = environmentOf(options.env);
  const isProduction = env === "production";
  const health = readHealth(options.health ?? false);
  const cors = readCors(options.cors);
  return {
    server,
    routes,
    middleware,
    plugins,
    logLevel: level,
    clientErrors,
    redact: redactDefaults ? [...credentialNames, ...redact] : redact,
    compiled: options.compiled,
    limits: { bodyBytes },
    isDevelopment: env === "development",
    servesDocument: options.openapi ?? !isProduction,
    errorMiddleware: options.errorMiddleware,
    errors: readErrors(options.errors),
    signals: options.signals ?? true,
    requestTimeoutMs,
    shutdownDelayMs,
    shutdownGraceMs,
    findAddress: compileTrustProxy(options.trustProxy ?? false),
    origin: new RequestOrigin(compileTrustedOrigin(options.trustProxy ?? false)),
    health,
    cors,
    csrf: readCsrf(options.csrf, cors),
    securityHeaders: readSecurityHeaders(options.securityHeaders),
    cookieKeys: readCookieKeys(options.cookies),
    compression: readCompression(options.compression),
    sockets: readSockets(options.sockets),
    etag: readEtag(options.etag),
    staticFiles: readStaticFiles(options.staticFiles),
    requestLog: readRequestLog(options.requestLog),
    telemetry: readTelemetry(telemetry),
    docs: readDocs(options.docs, isProduction, health),
  };
}

function requireKnown(value: object, names: Readonly<Record<string, true>>, where: string): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(names, name)) continue;
    const near = suggestName(name, Object.keys(names));
    throw new TypeError(`createApp: there is no option \`${where}${name}\`${near}`);
  }
}

function requireObject(value: unknown, name: string): void {
  if (typeof value !== "object" || value === null)
    throw new TypeError(`createApp: \`${name}\` must be an object`);
}

function requirePlugin(value: unknown, name: string): void {
  requireObject(value, name);
  const { name: own } = value as Partial<Plugin>;
  if (typeof own !== "string" || own === "")
    throw new TypeError(`createApp: \`${name}.name\` must be a string`);
}

function requireMilliseconds(value: number, name: string): void {
  if (!isMilliseconds(value)) {
    throw new TypeError(
      `createApp: \`${name}\` must be a whole number of milliseconds from 0 to ${longestTimeoutMs}, not ${String(value)}`,
    );
  }
}

function requireList(value: unknown, name: string): void {
  if (!Array.isArray(value)) throw new TypeError(`createApp: \`${name}\` must be a list`);
}
