import { METHODS } from "../router/methods.ts";
import { type AllowedOrigin, matchesOrigin } from "./allowed-origin.ts";

/**
 * Rules for web pages of other origins (CORS, WHATWG Fetch 3.3). A browser lets a page read the responses of this
 * application only if the origin of the page is one of `origins`.
 */
export interface CorsOptions {
  /**
   * Origins that may call the application, such as `https://app.example.com`. `https://*.example.com` allows all
   * subdomains of `example.com`, at any depth. `"*"` allows every origin, but no credentials.
   */
  readonly origins: "*" | readonly string[];
  /**
   * True to let pages send cookies and HTTP authentication, and read the responses. Not possible with `origins: "*"`.
   * Default false.
   */
  readonly credentials?: boolean;
  /**
   * Names of the request headers that pages may set, in addition to the names that browsers always allow. Default:
   * every header that a page of an allowed origin wants to set.
   */
  readonly allowedHeaders?: readonly string[];
  /**
   * Names of the response headers that pages may read, in addition to the names that browsers always show,
   * such as `content-type`. Default: none.
   */
  readonly exposedHeaders?: readonly string[];
  /**
   * Time in seconds for which a browser may cache the response to a preflight request. Default 600. Browsers limit the
   * time, Chromium to 7200.
   */
  readonly maxAgeSeconds?: number;
}

/** Validated {@link CorsOptions} with their defaults. */
export interface ReadCors {
  readonly origins: "*" | readonly AllowedOrigin[];
  readonly credentials: boolean;
  /** Allowed request headers, joined by commas. `null` if all are allowed. */
  readonly allowedHeaders: string | null;
  /** Exposed response headers, joined by commas. `null` if there are none. */
  readonly exposedHeaders: string | null;
  readonly maxAgeSeconds: number;
}

/** Reads a request header by its lower-case name. */
type ReadHeader = (name: string) => string | undefined;

/** Maximum length of the header names that a preflight request lists. Browsers list few. */
const longestHeaderList = 4096;
/** Matches a list of header names with commas. `\s*` could be matched in several ways, so the spaces are after a comma only. */
const headerNames = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:, ?[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/;

/**
 * Rules of CORS for the responses of one application.
 *
 * If the option lists origins, every response has `vary: origin`, even if the request has no `Origin` header.
 * Otherwise a cache could answer a page with a response that was made for another origin.
 */
export class Cors {
  readonly #options: ReadCors;
  /** Headers of every response if all origins are allowed. Otherwise, headers of responses that no page may read. */
  readonly #always: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #subdomains: readonly AllowedOrigin[];
  /** Headers that follow `access-control-allow-origin` in a response that a page may read. */
  readonly #rest: readonly string[];

  constructor(options: ReadCors) {
    const { origins, credentials, exposedHeaders } = options;
    const list = origins === "*" ? [] : origins;
    this.#options = options;
    const shared = [
      ...(credentials ? ["access-control-allow-credentials", "true"] : []),
      ...(exposedHeaders === null ? [] : ["access-control-expose-headers", exposedHeaders]),
    ];
    // A response that every origin may read has its headers always. Otherwise a browser could cache the response to a
    // request without an origin, such as one of `<img>`, and then refuse the cached response to a script.
    this.#always = origins === "*" ? ["access-control-allow-origin", "*", ...shared] : ["vary", "origin"];
    this.#exact = new Set(list.flatMap((allowed) => (allowed.kind === "exact" ? [allowed.origin] : [])));
    this.#subdomains = list.filter((allowed) => allowed.kind === "subdomains");
    this.#rest = ["vary", "origin", ...shared];
  }

  /**
   * Returns the headers of a response, as a list of name, value, name, value. For responses to preflight requests,
   * use {@link Cors.preflightHeaders}.
   */
  headers(header: ReadHeader): readonly string[] {
    if (this.#options.origins === "*") return this.#always;
    const origin = header("origin");
    const allowed = origin === undefined ? undefined : this.#allowedOrigin(origin);
    return allowed === undefined ? this.#always : ["access-control-allow-origin", allowed, ...this.#rest];
  }

  /** True if the headers of a response depend on the header `origin` of the request. */
  get dependsOnOrigin(): boolean {
    return this.#options.origins !== "*";
  }

  /**
   * Returns true if pages of an origin may open WebSockets. A browser always sends cookies with a handshake, so a handshake
   * with cookies needs `credentials: true`.
   */
  allowsSocket(origin: string, hasCookies: boolean): boolean {
    return (this.#options.credentials || !hasCookies) && this.#allowedOrigin(origin) !== undefined;
  }

  /** Returns true for a preflight request. */
  isPreflight(method: string, header: ReadHeader): boolean {
    return (
      method === "OPTIONS" &&
      header("access-control-request-method") !== undefined &&
      header("origin") !== undefined
    );
  }

  /**
   * Returns the headers of the response to a preflight request. `methods` are the methods of the path's routes. For
   * a path without routes, the requested method is allowed, so that the page receives the error 404 instead of a
   * failure without a reason.
   */
  preflightHeaders(header: ReadHeader, methods: readonly string[]): readonly string[] {
    const { allowedHeaders, credentials, maxAgeSeconds, origins } = this.#options;
    const requestedHeaders = header("access-control-request-headers");
    const echoes = allowedHeaders === null;
    const vary = [
      ...(origins === "*" ? [] : ["origin"]),
      "access-control-request-method",
      ...(echoes ? ["access-control-request-headers"] : []),
    ].join(", ");
    const allowed = this.#allowedOrigin(header("origin")!);
    if (allowed === undefined) return ["vary", vary];
    const requestedMethod = header("access-control-request-method")!;
    const list = methods.length > 0 ? methods : METHODS.filter((method) => method === requestedMethod);
    const names = echoes ? echoOf(requestedHeaders) : allowedHeaders;
    return [
      "access-control-allow-origin",
      allowed,
      "vary",
      vary,
      ...(credentials ? ["access-control-allow-credentials", "true"] : []),
      ...(list.length > 0 ? ["access-control-allow-methods", list.join(", ")] : []),
      ...(names !== undefined && names !== "" ? ["access-control-allow-headers", names] : []),
      "access-control-max-age",
      `${maxAgeSeconds}`,
    ];
  }

  /** Returns the value of `access-control-allow-origin`, or `undefined` if pages of this origin may not read responses. */
  #allowedOrigin(origin: string): string | undefined {
    if (this.#options.origins === "*") return "*";
    if (this.#exact.has(origin)) return origin;
    return matchesOrigin(this.#subdomains, origin) ? origin : undefined;
  }
}

/** Returns the names in `access-control-request-headers`. `undefined` if the value is not a list of names. */
function echoOf(requested: string | undefined): string | undefined {
  if (requested === undefined || requested.length > longestHeaderList) return undefined;
  return headerNames.test(requested) ? requested : undefined;
}
