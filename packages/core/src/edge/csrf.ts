import { findCookie } from "../cookies/cookie-text.ts";
import { type AllowedOrigin, matchesOrigin } from "./allowed-origin.ts";

/** Options against requests that web pages of other sites make with the cookies of a user (CSRF). */
export interface CsrfOptions {
  /**
   * Origins whose pages may send requests that change data, as in `cors.origins`. Origins that the option
   * `cors` lists are allowed too. Default: none.
   */
  readonly origins?: readonly string[];
  /**
   * Token for requests of old browsers, which send no header `sec-fetch-site` and no header `origin`. With this option,
   * a request with cookies and without these two headers must repeat the value of a cookie in a header. Default: no
   * token is required, because programs send requests without these headers too.
   */
  readonly token?: CsrfTokenOptions;
}

/** Names of the cookie and the header with the token. Only pages of the application's own site can read the cookie. */
export interface CsrfTokenOptions {
  /** Name of the cookie, such as `__Host-csrf`. The application sets the cookie. */
  readonly cookie: string;
  /** Name of the request header, such as `x-csrf-token`. */
  readonly header: string;
}

/** Validated {@link CsrfOptions}. */
export interface ReadCsrf {
  readonly origins: readonly AllowedOrigin[];
  readonly token: CsrfTokenOptions | null;
}

/** Reads a request header by its lower-case name. */
type ReadHeader = (name: string) => string | undefined;

/** Methods that change nothing (RFC 9110, 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Decides which requests an application accepts from web pages. */
export class Csrf {
  readonly #options: ReadCsrf;

  constructor(options: ReadCsrf) {
    this.#options = options;
  }

  /**
   * Returns true if a request is allowed. First decides by `sec-fetch-site` (Fetch Metadata), which browsers
   * send since 2023: `same-origin`, and `none` for input of the user, are allowed. If it is missing, `origin`
   * must be the application's own, which `isOwn` decides. A request without these two headers does not come from a current
   * browser.
   */
  allows(method: string, header: ReadHeader, isOwn: (origin: string) => boolean): boolean {
    if (safeMethods.has(method)) return true;
    const site = header("sec-fetch-site");
    if (site === "same-origin" || site === "none") return true;
    const origin = header("origin");
    if (origin !== undefined && matchesOrigin(this.#options.origins, origin)) return true;
    if (site !== undefined) return false;
    if (origin !== undefined) return isOwn(origin);
    return this.#hasToken(header);
  }

  #hasToken(header: ReadHeader): boolean {
    const { token } = this.#options;
    const cookies = header("cookie");
    if (token === null || cookies === undefined) return true;
    const given = header(token.header);
    return given !== undefined && given !== "" && findCookie(cookies, token.cookie) === given;
  }
}
