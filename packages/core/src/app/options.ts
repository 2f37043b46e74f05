import type { CompiledApplication, ServerAdapter, ServerLimits, TelemetrySettings } from "@kit/types";

import type { ErrorMiddleware } from "../error-middleware.ts";
import type { AnyHandlers } from "../handlers.ts";
import { credentialNames } from "../logging/credentials.ts";
import { type LogLevel, severityOf } from "../logging/log-entry.ts";
import type { MiddlewareItem } from "../middleware.ts";
import type { HealthOptions, ReadHealth } from "../request/health.ts";
import { type DocsOptions, type ReadDocs, readDocs } from "./docs-option.ts";
import { type Environment, environmentOf, environments } from "./environment.ts";
import { readHealth } from "./health-options.ts";
import { isMilliseconds, longestTimeoutMs } from "./milliseconds.ts";
import type { Plugin } from "./plugin.ts";
import { readTelemetry, type TelemetryOptions } from "./telemetry-options.ts";
import { meant } from "./unknown-name.ts";
import { compileTrustProxy, type FindAddress, type TrustProxy } from "../request/trust-proxy.ts";

/** Handlers with what they share. */
export interface RouteGroup {
  /** Prepended to the paths of the handlers' keys; a path that includes it already stays. */
  readonly prefix?: string;
  /** The map that `defineHandlers` returned. */
  readonly handlers: AnyHandlers;
  /** Runs for the routes of this group, together with the global middleware in one chain by priority. */
  readonly middleware?: readonly MiddlewareItem[];
}

/** What is logged. */
export interface LoggingOptions {
  /** Entries below it are not written; default `info`. */
  readonly level?: LogLevel;
  /**
   * Properties whose values are hidden, beside those of credentials: names joined by dots, in any case, `*` for any one name. `iban` hides every
   * property of that name, `*.pin` every `pin` within an object.
   */
  readonly redact?: readonly string[];
  /**
   * Hides headers and properties that hold credentials as a rule, such as `authorization`, `cookie`, `password`, `token` and `apiKey`; default true.
   * `docs/guide/observability.md` lists them.
   */
  readonly redactDefaults?: boolean;
  /**
   * Level of errors with a status from 400 to 499 that middleware or a handler throws (`ctx.fail(404, …)`, `AppError`); default `error`, as of all
   * errors that are thrown. Requests that the router or the validation refuses are logged at `warn`, whatever this says.
   */
  readonly clientErrors?: LogLevel;
}

/** Options of `createApp`. */
export interface AppOptions {
  /** What listens: `nativeServer()`. */
  readonly server: ServerAdapter;
  /** The application's routes. */
  readonly routes: readonly RouteGroup[];
  /** Runs for every route. A request that no route takes is answered without it. */
  readonly middleware?: readonly MiddlewareItem[];
  readonly plugins?: readonly Plugin[];
  readonly logging?: LoggingOptions;
  readonly telemetry?: TelemetryOptions;
  /** What `kit build` made, for bundlers; default: `.kit/` at or above the program's entry module. */
  readonly compiled?: CompiledApplication;
  /** `bodyBytes`: the greatest request body; default 1 MiB. */
  readonly limits?: Partial<ServerLimits>;
  /**
   * Environment of the application. Default: `NODE_ENV`; if that is not set or none of the three, `production`.
   */
  readonly env?: Environment;
  /** Makes the answers to failures; default `createErrorMiddleware()` for the environment. */
  readonly errorMiddleware?: ErrorMiddleware;
  /**
   * How many milliseconds a request may take from its arrival to its answer; default 30,000, and 0 for as long as it likes.
   * Then it is answered with 503 `REQUEST_TIMEOUT`, and `ctx.signal` is aborted; what its handler gives after that is dropped. The
   * limit may be exceeded by a twentieth.
   */
  readonly requestTimeoutMs?: number;
  /**
   * Which proxies are believed about where a request came from, for `ctx.ip`; default `false`, none. A number of proxies, a
   * list of their addresses (`["loopback", "10.0.0.0/8"]`), or either with the one header that they write:
   * `{ proxies: 1, header: "forwarded" }`. Without it that is `X-Forwarded-For`.
   */
  readonly trustProxy?: TrustProxy;
  /**
   * Answers `/healthz` (200 as long as the process serves) and `/readyz` (503 before the plugins' `onReady` and once the application
   * closes, or where a check fails); default `false`.
   */
  readonly health?: boolean | HealthOptions;
  /**
   * Serves an API reference at `/docs`, or at `path`, by the package `@kit/api-docs`. Default: on if the package is installed and `env` is
   * `development` or `test`. Everybody who reaches it can read it: no middleware runs for it.
   */
  readonly docs?: boolean | DocsOptions;
  /**
   * Serves the OpenAPI document at `/openapi.json`. Default: on if `env` is `development` or `test`. Everybody who reaches it can read it: no
   * middleware runs for it.
   */
  readonly openapi?: boolean;
  /**
   * How many milliseconds the application goes on serving after SIGTERM, SIGINT or `close`, with `/readyz` at 503, before it stops
   * accepting; default 0. What distributes requests (a Kubernetes service, a load balancer) needs that long to learn of it.
   */
  readonly shutdownDelayMs?: number;
  /** Whether SIGTERM and SIGINT close the application and end the process; default true. */
  readonly signals?: boolean;
}

/** The names within each object of options. A slip of the finger would otherwise silently leave a default in place. */
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
  shutdownDelayMs: true,
  signals: true,
  requestTimeoutMs: true,
  trustProxy: true,
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

/** Options with their defaults, checked. */
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
  /** True serves `/openapi.json`, false does not. */
  readonly servesDocument: boolean;
  readonly errorMiddleware: ErrorMiddleware | undefined;
  readonly signals: boolean;
  readonly requestTimeoutMs: number;
  readonly shutdownDelayMs: number;
  readonly findAddress: FindAddress;
  readonly health: ReadHealth | null;
  readonly docs: ReadDocs | null;
  /** Nothing where all of it is off. */
  readonly telemetry: TelemetrySettings | null;
}

/**
 * Checks what the types cannot, and what programs without types get wrong.
 *
 * @throws {TypeError} that names the option.
 */
export function readOptions(options: AppOptions): ReadOptions {
  if (typeof options !== "object" || options === null)
    throw new TypeError("createApp takes an object of options");
  requireKnown(options, known, "");
  const {
    server,
    routes,
    middleware = [],
    plugins = [],
    logging = {},
    telemetry = {},
    limits = {},
  } = options;
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
    throw new TypeError("createApp: `logging.redact` must be a list of texts such as `*.password`");
  }
  if (typeof redactDefaults !== "boolean") {
    throw new TypeError("createApp: `logging.redactDefaults` must be true or false");
  }
  requireObject(limits, "limits");
  requireKnown(limits, knownInLimits, "limits.");
  const { bodyBytes = defaultBodyBytes } = limits;
  if (!Number.isSafeInteger(bodyBytes) || bodyBytes < 0) {
    throw new TypeError("createApp: `limits.bodyBytes` must be a whole number of bytes");
  }
  if (options.env !== undefined && !environments.includes(options.env)) {
    throw new TypeError(`createApp: \`env\` must be one of ${environments.join(", ")}`);
  }
  if (options.errorMiddleware !== undefined && typeof options.errorMiddleware !== "function") {
    throw new TypeError("createApp: `errorMiddleware` must be a function such as createErrorMiddleware()");
  }
  const { requestTimeoutMs = defaultRequestTimeoutMs, shutdownDelayMs = 0 } = options;
  requireMilliseconds(requestTimeoutMs, "requestTimeoutMs");
  requireMilliseconds(shutdownDelayMs, "shutdownDelayMs");
  if (options.openapi !== undefined && typeof options.openapi !== "boolean") {
    throw new TypeError("createApp: `openapi` must be true or false");
  }
  const env = environmentOf(options.env);
  const isProduction = env === "production";
  const health = readHealth(options.health ?? false);
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
    signals: options.signals ?? true,
    requestTimeoutMs,
    shutdownDelayMs,
    findAddress: compileTrustProxy(options.trustProxy ?? false),
    health,
    telemetry: readTelemetry(telemetry),
    docs: readDocs(options.docs, isProduction, health),
  };
}

function requireKnown(value: object, names: Readonly<Record<string, true>>, where: string): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(names, name)) continue;
    const near = meant(name, Object.keys(names));
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
    throw new TypeError(`createApp: \`${name}.name\` must be a text`);
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
