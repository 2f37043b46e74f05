import type { Generated } from "./codec.ts";
import type { Codecs } from "./codecs.ts";
import type { OpenSocket } from "./socket-types.ts";

/**
 * Function between a call and the network. The function may change the request, respond itself, or read the response.
 * The first interceptor of the list is the outermost. All interceptors run for each attempt of a call.
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

/** Options for retries of a call. */
export interface RetryOptions {
  /** Maximum number of retries after the first attempt. Default 2. */
  limit?: number;
  /**
   * Milliseconds before the first retry. The delay doubles for each further retry, and a random part of up to half of
   * it is added. Default 100.
   */
  delayMs?: number;
  /**
   * Maximum delay in milliseconds, including a `Retry-After` of the server. Default 10,000. If the server requests a
   * longer delay, the call fails.
   */
  maxDelayMs?: number;
}

/** Options of a call, in addition to the input of the contract. */
export interface RequestOptions {
  /** Additional headers. They take precedence over the headers of the client. */
  headers?: Readonly<Record<string, string>>;
  /** Signal that cancels the call. The call then throws the reason of the signal. */
  signal?: AbortSignal;
  /**
   * Milliseconds until the call fails with `TIMEOUT`, including retries. 0 disables the timeout. Default
   * {@link ClientOptions.timeoutMs}.
   */
  timeoutMs?: number;
  /** Options for retries of this call, or `false` for no retries. Default {@link ClientOptions.retry}. */
  retry?: RetryOptions | false;
}

/** Options of a client. */
export interface ClientOptions {
  /** Base URL of the API: `https://api.example.com`, or `/api` in a browser. */
  baseUrl: string | URL;
  /** Headers of each request, or a function that returns them. The function is called once per call. */
  headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Milliseconds until a call fails with `TIMEOUT`, including retries. 0 disables the timeout. Default 30,000. */
  timeoutMs?: number;
  /**
   * Options for retries, or `false` for no retries. A call is retried if no response arrives because the network
   * fails, or if the server responds with 429, 502, 503 or 504. Only idempotent methods are retried (`GET`, `HEAD`,
   * `OPTIONS`, `PUT`, `DELETE`: RFC 9110, section 9.2.2), and routes whose contract declares the header
   * `idempotency-key`. The client sends a new key with each call, and the same key with each retry. With a key, the
   * client also retries after a 409 with `retry-after`.
   */
  retry?: RetryOptions | false;
  /** Functions between calls and the network, outermost first. */
  interceptors?: readonly Interceptor[];
  /** Replacement for the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /**
   * The function `openSocket` of `@kit/client/sockets`, for WebSockets of contract groups. Generated clients have it
   * already.
   */
  sockets?: OpenSocket;
  /** Handling of cookies by `fetch`. The default is the default of `fetch`: `same-origin`. */
  credentials?: "omit" | "same-origin" | "include";
}

/** Option `codecs`. Required for the routes of the generated `.kit/client/index.ts`. */
export type CodecsOption<Routes> = Routes extends Generated ? { codecs: Codecs } : { codecs?: Codecs };
