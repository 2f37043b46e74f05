import type { Codecs } from "./codec.ts";
import type { Generated } from "./types.ts";

/**
 * Stands between a call and the network: it may change the request, answer itself, or look at the answer. The first of the list is
 * outermost. Each attempt of a call passes all of them.
 *
 * @example
 * ```ts
 * const withToken: Interceptor = (request, next) => {
 *   request.headers.set("authorization", `Bearer ${token()}`);
 *   return next(request);
 * };
 * ```
 */
export type Interceptor = (
  request: Request,
  next: (request: Request) => Promise<Response>,
) => Promise<Response>;

/** How often and when a call is tried again. */
export interface RetryOptions {
  /** How many times after the first; default 2. */
  limit?: number;
  /** Milliseconds before the first repetition, doubled for each further one; default 100. Up to half of it more is waited at random. */
  delayMs?: number;
  /** The longest wait, a `Retry-After` of the server included, in milliseconds; default 10,000. Where the server asks for more, the call fails. */
  maxDelayMs?: number;
}

/** What a call can say beside what its contract asks for. */
export interface RequestOptions {
  /** More headers, which win over those of the client. */
  headers?: Readonly<Record<string, string>>;
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds until the call fails with `TIMEOUT`, repetitions included; 0 for no limit. */
  timeoutMs?: number;
  /** How often it is tried again; `false` for never. */
  retry?: RetryOptions | false;
}

/** What a client is made with. */
export interface ClientOptions {
  /** Where the API is: `https://api.example.com`, or `/api` in a browser. */
  baseUrl: string | URL;
  /** Headers of each request, or a function that gives them for each. */
  headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Milliseconds until a call fails with `TIMEOUT`, repetitions included; default 30,000, and 0 for no limit. */
  timeoutMs?: number;
  /**
   * How calls that can be repeated without harm (`GET`, `HEAD`, `OPTIONS`, `PUT`, `DELETE`: RFC 9110, section 9.2.2) are tried again where the
   * network fails or the server answers 429, 502, 503 or 504; `false` for never.
   */
  retry?: RetryOptions | false;
  /** What stands between calls and the network. */
  interceptors?: readonly Interceptor[];
  /** In the place of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** What `fetch` does with cookies; default its own, `same-origin`. */
  credentials?: "omit" | "same-origin" | "include";
}

/** The codecs of generated routes, which only they need. */
export type CodecsOption<Routes> = Routes extends Generated ? { codecs: Codecs } : { codecs?: Codecs };
