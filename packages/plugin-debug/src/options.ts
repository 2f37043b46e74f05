import type { ErrorFields } from "@kit/core";

import { isLoopback, readAllowlist } from "./access/allowlist.ts";
import type { Access } from "./access/guard.ts";
import type { RateLimit } from "./access/rate-limit.ts";
import { nearest } from "./responses/nearest.ts";

/** Options that restrict access to the sidecar. Each option that is present applies in development and in production. */
export interface DebugSecurityOptions {
  /**
   * Key that clients send as `X-Debug-Key`. Required in production. Required with at least 16 characters for a `hostname` that other
   * machines can reach. Without a key, the sidecar serves only this machine.
   */
  readonly apiKey?: string;
  /** Addresses and ranges of allowed clients: `["10.0.0.0/8", "fd00::/8"]`. Default: all addresses. */
  readonly allowlist?: readonly string[];
  /** Address to listen on. The address is also an allowed name in the `Host` header. Default: `127.0.0.1`. */
  readonly hostname?: string;
  /**
   * Patterns of properties to hide, as in `logging.redact`. Credentials, `@sensitive` properties and `logging.redact` are always hidden.
   */
  readonly redact?: readonly string[];
  /**
   * Maximum number of requests that one client may send in `rateLimitWindow`. Default: 100. In development, and without a key, there is no
   * limit by default.
   */
  readonly rateLimit?: number;
  /** Window of the rate limit in milliseconds. Default: 60,000. */
  readonly rateLimitWindow?: number;
}

/** Options of a history that is stored in a file. */
export interface DebugStoreOptions {
  /** Path of the SQLite file, relative to the project's root. The file is created if it does not exist. */
  readonly path: string;
  /** Maximum size of the file in bytes. If it is exceeded, the oldest entries are removed. Default: 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * Options of {@link debugPlugin}. Options of access have two names, such as `apiKey` and `security.apiKey`.
 * Only one of the two names may be used.
 */
export interface DebugOptions {
  /** TCP port. 0 selects a free port. Default: 9800. */
  readonly port?: number;
  /**
   * Mode of the sidecar. Default: `dev` if `NODE_ENV` is `development`. With any other `NODE_ENV` or without it, the sidecar shows only the
   * data that it shows in production. `NODE_ENV=production` also requires a key.
   */
  readonly mode?: "dev" | "production";
  /** Alternative to `mode`: true means `"production"`, false means `"dev"`. */
  readonly production?: boolean;
  readonly security?: DebugSecurityOptions;
  /** Same as `security.apiKey`. */
  readonly apiKey?: string;
  /** Same as `security.allowlist`. */
  readonly allowedIPs?: readonly string[];
  /** Same as `security.redact`. */
  readonly redactFields?: readonly string[];
  /** Same as `security.rateLimit` and `security.rateLimitWindow`. `windowMs` is in milliseconds. */
  readonly rateLimit?: { readonly windowMs?: number; readonly max?: number };
  /**
   * Additional properties of the application's error responses while the sidecar is active.
   * - `all`: all properties, with locations in source files, as in development.
   * - `public`: status, phase, route, schema, failures, request id, server and time, without locations in source files.
   * - `none`: no additional properties.
   *
   * Default: `all` in development, otherwise `public`. Messages and stacks of unknown errors are shown in development only.
   */
  readonly errorFields?: ErrorFields;
  /** Number of finished requests, and of errors, that stay in memory. The number of log entries is ten times as large. Default: 1,000. */
  readonly keep?: number;
  /**
   * Path of a file for the history, relative to the project's root, such as `.data/debug.db`. The history then survives restarts. All
   * workers of a server write to the file, so the sidecar shows the requests of all. `false` keeps the history in memory, separately for
   * each process. Default: memory, or with workers a temporary file that is removed at the end.
   */
  readonly store?: string | DebugStoreOptions | false;
}

/** Options after validation, with defaults for missing options. */
export interface ReadDebugOptions {
  readonly port: number;
  /**
   * True unless the mode is development. If true, source code, request bodies and "send again" are not
   * available.
   */
  readonly isProduction: boolean;
  readonly access: Access;
  readonly errorFields: ErrorFields;
  readonly keep: number;
  /**
   * Settings of the history file, or null if the history is only in memory. `path` is null for a temporary file, which is used only with
   * workers.
   */
  readonly store: { readonly path: string | null; readonly maxBytes: number } | null;
}

/** Names of properties that are hidden in every mode, because they usually contain credentials. */
export const credentials: readonly string[] = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-debug-key",
  "password",
  "secret",
  "token",
];

const known: Readonly<Record<keyof DebugOptions, true>> = {
  port: true,
  mode: true,
  production: true,
  security: true,
  apiKey: true,
  allowedIPs: true,
  redactFields: true,
  rateLimit: true,
  errorFields: true,
  keep: true,
  store: true,
};
const knownInSecurity: Readonly<Record<keyof DebugSecurityOptions, true>> = {
  apiKey: true,
  allowlist: true,
  hostname: true,
  redact: true,
  rateLimit: true,
  rateLimitWindow: true,
};
const knownInRateLimit: Readonly<Record<"windowMs" | "max", true>> = { windowMs: true, max: true };
const knownInStore: Readonly<Record<keyof DebugStoreOptions, true>> = { path: true, maxBytes: true };

/** Minimum length of the key of a sidecar that other machines can reach. 16 characters of base64 contain 96 random bits. */
const leastOpenKey = 16;
const defaultRateLimit: RateLimit = { windowMs: 60_000, max: 100 };
const defaultStoreBytes = 64 * 1024 * 1024;
const leastStoreBytes = 1024 * 1024;
const longestWindowMs = 24 * 3_600_000;
const greatestCount = 1_000_000;
const greatestKeep = 20_000;

/**
 * Validates options and fills in defaults. Accepts each of the two names of an option.
 *
 * @throws {TypeError} with the name of the option and its valid values.
 */
export function readDebugOptions(options: DebugOptions): ReadDebugOptions {
  requireObject(options, "the options");
  requireKnown(options, known, "");
  const { port = 9800, security = {}, rateLimit = {}, keep = 1_000 } = options;
  requireObject(security, "`security`");
  requireKnown(security, knownInSecurity, "security.");
  requireObject(rateLimit, "`rateLimit`");
  requireKnown(rateLimit, knownInRateLimit, "rateLimit.");
  requireWhole(port, "port", 0, 65_535);
  requireWhole(keep, "keep", 1, greatestKeep);
  const mode = readMode(options);
  const isProduction = mode !== "development";
  return {
    port,
    isProduction,
    access: readAccess(options, security, mode),
    errorFields: readErrorFields(options.errorFields, isProduction),
    keep,
    store: readStore(options.store),
  };
}

/**
 * Mode of the sidecar. `unknown` means that neither the options nor `NODE_ENV` specify a mode. The sidecar then shows only the data of
 * production, and needs no key on loopback addresses.
 */
type Mode = "development" | "production" | "unknown";

function readMode({ mode, production }: DebugOptions): Mode {
  if (mode !== undefined && mode !== "dev" && mode !== "production") {
    const near = typeof mode === "string" ? nearMode(mode) : undefined;
    wrong("mode", '"dev" or "production"', mode, near === undefined ? "" : `; did you mean "${near}"?`);
  }
  if (production !== undefined && typeof production !== "boolean") {
    wrong("production", "true or false", production);
  }
  if (mode !== undefined && production !== undefined) twice("mode", "production");
  const isProduction = production ?? (mode === undefined ? undefined : mode === "production");
  if (isProduction !== undefined) return isProduction ? "production" : "development";
  const environment = process.env["NODE_ENV"];
  return environment === "development" || environment === "production" ? environment : "unknown";
}

function readErrorFields(fields: DebugOptions["errorFields"], isProduction: boolean): ErrorFields {
  if (fields === undefined) return isProduction ? "public" : "all";
  const isKnown = fields === "all" || fields === "public" || fields === "none";
  if (!isKnown) wrong("errorFields", '"all", "public" or "none"', fields);
  return fields;
}

function nearMode(mode: string): string | undefined {
  return /^dev/i.test(mode)
    ? "dev"
    : /^prod/i.test(mode)
      ? "production"
      : nearest(mode, ["dev", "production"]);
}

function readAccess(options: DebugOptions, security: DebugSecurityOptions, mode: Mode): Access {
  const apiKey = either("apiKey", options.apiKey, "security.apiKey", security.apiKey);
  const entries = either("allowedIPs", options.allowedIPs, "security.allowlist", security.allowlist);
  const redact = either("redactFields", options.redactFields, "security.redact", security.redact);
  const max = either("rateLimit.max", options.rateLimit?.max, "security.rateLimit", security.rateLimit);
  const windowMs = either(
    "rateLimit.windowMs",
    options.rateLimit?.windowMs,
    "security.rateLimitWindow",
    security.rateLimitWindow,
  );
  const { hostname = "127.0.0.1" } = security;
  if (typeof hostname !== "string" || !/^[0-9a-z:._-]+$/i.test(hostname)) {
    wrong("security.hostname", "an address or a host name", hostname);
  }
  if (apiKey.value !== undefined) requireKey(apiKey.value, apiKey.option);
  requireTexts(entries.value, entries.option);
  requireTexts(redact.value, redact.option);
  if (max.value !== undefined) requireWhole(max.value, max.option, 1, greatestCount);
  if (windowMs.value !== undefined) requireWhole(windowMs.value, windowMs.option, 1, longestWindowMs);
  const allowlist = entries.value && { option: entries.option, entries: entries.value };
  // Parses the allowlist now, so that an invalid entry is an error at the start and not at the first request.
  if (allowlist !== undefined) readAllowlist(allowlist.entries, allowlist.option);
  for (const pattern of redact.value ?? []) requirePattern(pattern, redact.option);
  if (mode === "production" && apiKey.value === undefined) {
    throw new TypeError(
      "debugPlugin: production needs a key, which clients send as X-Debug-Key. Give `apiKey`, from a secret of the environment, or leave the plugin out in production",
    );
  }
  if (!isLoopback(hostname)) requireOpenKey(hostname, apiKey);
  return {
    hostname,
    apiKey: apiKey.value ?? null,
    allowlist: allowlist ?? null,
    rateLimit: readRateLimit(max.value, windowMs.value, mode !== "development" && apiKey.value !== undefined),
    redact: [...credentials, ...(redact.value ?? [])],
  };
}

/** Returns the rate limit. If `isLimited` is true, there is a limit by default, so that a key cannot be guessed quickly. */
function readRateLimit(
  max: number | undefined,
  windowMs: number | undefined,
  isLimited: boolean,
): RateLimit | null {
  if (max === undefined && windowMs === undefined && !isLimited) return null;
  return { max: max ?? defaultRateLimit.max, windowMs: windowMs ?? defaultRateLimit.windowMs };
}

/**
 * Requires a long key if the sidecar listens on an address other than loopback or `localhost`. Other host names may resolve to any address.
 */
function requireOpenKey(hostname: string, { option, value: key }: Either<string>): void {
  const advice = `Other machines reach \`security.hostname\` ${JSON.stringify(hostname)}: give \`apiKey\` at least ${leastOpenKey} random characters, such as those of \`openssl rand -base64 24\`, or leave \`hostname\` out to listen on 127.0.0.1 only`;
  if (key === undefined) throw new TypeError(`debugPlugin: this sidecar needs a key. ${advice}`);
  if (key.length < leastOpenKey) {
    throw new TypeError(
      `debugPlugin: \`${option}\` must have at least ${leastOpenKey} characters if other machines can reach the sidecar, not ${key.length}. ${advice}`,
    );
  }
}

function readStore(store: DebugOptions["store"]): ReadDebugOptions["store"] {
  if (store === false) return null;
  if (store === undefined) return { path: null, maxBytes: defaultStoreBytes };
  const { path, maxBytes = defaultStoreBytes } = typeof store === "string" ? { path: store } : store;
  if (typeof store !== "string") {
    requireObject(store, "`store`");
    requireKnown(store, knownInStore, "store.");
  }
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    wrong(
      typeof store === "string" ? "store" : "store.path",
      "the path of a file, or false to use no file",
      path,
    );
  }
  requireWhole(maxBytes, "store.maxBytes", leastStoreBytes, Number.MAX_SAFE_INTEGER);
  return { path, maxBytes };
}

interface Either<T> {
  readonly option: string;
  readonly value: T | undefined;
}

/** Returns the value of an option that has two names. Throws an error if the two names are used together. */
function either<T>(one: string, first: T | undefined, other: string, second: T | undefined): Either<T> {
  if (first !== undefined && second !== undefined) twice(one, other);
  return second === undefined ? { option: one, value: first } : { option: other, value: second };
}

function twice(one: string, other: string): never {
  throw new TypeError(
    `debugPlugin: \`${one}\` and \`${other}\` are two names of the same option; set only one of them`,
  );
}

function wrong(option: string, may: string, value: unknown, more = ""): never {
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new TypeError(`debugPlugin: \`${option}\` must be ${may}, not ${shown}${more}`);
}

function requireObject(value: unknown, what: string): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypeError(`debugPlugin: ${what} must be an object`);
}

function requireKnown(value: object, names: Readonly<Record<string, true>>, prefix: string): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(names, name)) continue;
    throw new TypeError(
      `debugPlugin: there is no option \`${prefix}${name}\`; ${nearOption(name, names, prefix)}`,
    );
  }
}

/** Returns a suggestion for an unknown option: a similar option of the same object, or the option of that name in another object. */
function nearOption(name: string, names: Readonly<Record<string, true>>, prefix: string): string {
  const near = nearest(name, Object.keys(names));
  if (near !== undefined) return `did you mean \`${prefix}${near}\`?`;
  const elsewhere = [
    ...Object.keys(known),
    ...Object.keys(knownInSecurity).map((option) => `security.${option}`),
    ...Object.keys(knownInRateLimit).map((option) => `rateLimit.${option}`),
  ].find((option) => option.split(".").at(-1)!.toLowerCase() === name.toLowerCase());
  if (elsewhere !== undefined) return `did you mean \`${elsewhere}\`?`;
  const all = Object.keys(names).map((option) => `\`${prefix}${option}\``);
  return `there are ${all.join(", ")}`;
}

function requireWhole(value: unknown, option: string, least: number, most: number): void {
  const isFit = typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
  if (!isFit) wrong(option, `a whole number from ${least} to ${most}`, value);
}

function requireTexts(value: unknown, option: string): void {
  if (value !== undefined && !(Array.isArray(value) && value.every((entry) => typeof entry === "string")))
    wrong(option, "a list of texts", value);
}

/** Requires a key that a header can contain. The message does not contain the key, because messages are logged. */
function requireKey(key: unknown, option: string): void {
  if (typeof key === "string" && /^[\x21-\x7e]+$/.test(key)) return;
  throw new TypeError(
    `debugPlugin: \`${option}\` must be a text of visible ASCII characters, since it is sent in a header; ${
      key === "" ? "it is empty" : "it is not"
    }`,
  );
}

function requirePattern(pattern: string, option: string): void {
  if (pattern.split(".").includes(""))
    wrong(option, "property names joined by dots, such as `*.password`", pattern);
}
