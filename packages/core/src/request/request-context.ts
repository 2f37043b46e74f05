import type { CookieOptions } from "../cookies/cookie-options.ts";
import type { Logger } from "../logging/log-entry.ts";
import type { ClientCertificate } from "./client-certificate.ts";
import type { TraceHeaders } from "./trace-headers.ts";
import type { RawBody, RawResponse, SendOptions } from "./raw-response.ts";

/**
 * Span of the request's trace. Present on `ctx` only while spans are recorded: with `telemetry.tracing`, or with a
 * plugin that observes spans.
 */
export interface Span {
  /** Sets an attribute of the span. A request keeps at most 256 attributes. */
  setAttribute(name: string, value: string | number | boolean): void;
}

/**
 * Part of `ctx` that does not depend on the contract. Handlers of contracts with replies or errors have it, with their
 * own `fail`, and without `status` and `send` if there are replies.
 */
export interface BaseContext {
  /** Trace id: 32 hexadecimal digits. Taken from a valid `traceparent` of the request, otherwise random. */
  readonly traceId: string;
  /** Id of this request in logs. Unique within the process, and very unlikely to equal an id of another process. */
  readonly requestId: string;
  /** Route that matched, with its final path: `GET /notes/:id`. */
  readonly route: string;
  /** Method of the request, in upper case. `HEAD` if a GET route serves a HEAD request. */
  readonly method: string;
  /**
   * Path of the request in the normal form, in which each path has one spelling. Percent-encoded and without the query.
   */
  readonly path: string;
  /**
   * Part of `path` that the route's wildcard matches. The text is percent-encoded, and keeps a final slash of the
   * request. Absent if the route has no wildcard. The wildcard's parameter is decoded and has no final slash, so it
   * cannot distinguish `a%2Fb` from `a/b`, or `a` from `a/`.
   *
   * @example
   * ```ts
   * // GET /files/a%2Fb/c/
   * "GET /files/*path": ({ params, ctx }) => [params.path, ctx.rawWildcard], // ["a/b/c", "a%2Fb/c/"]
   * ```
   */
  readonly rawWildcard?: string | undefined;
  /**
   * IP address of the client: the peer of the connection, or the address that the proxies of `trustProxy` report. An
   * IPv4 address that was mapped to IPv6 is returned as IPv4. Empty if the address is unknown: the connection has none
   * (a Unix socket), the entry of a trusted proxy is malformed or not an address, or the property is read for the first
   * time after the response.
   */
  readonly ip: string;
  /**
   * Origin of the application as the client knows it, such as `https://api.example.com`: the scheme of the connection and the
   * header `host`, which a client can choose, or what the proxies of `trustProxy.scheme` and `trustProxy.host` report. Empty if
   * the origin is unknown: the request has no header `host`, the report of a trusted proxy is malformed, or the property is read
   * for the first time after the response.
   */
  readonly origin: string;
  /**
   * Certificate of the client, which the server has verified with the authorities of `tls.clientCa`. `undefined` if the client has sent
   * none, which servers with `clientCertificates: "optional"` permit; without TLS; for requests of `fetch`; and if the property is read
   * for the first time after the response or after the client has disconnected.
   */
  readonly clientCertificate: ClientCertificate | undefined;
  /**
   * Request headers by lower-case name. Repeated headers are joined with `, `. Read-only, and empty after the response.
   */
  readonly headers: RequestHeaders;
  /**
   * Signal that is aborted when the response is no longer needed: the client disconnected, the request took longer than
   * `requestTimeoutMs`, or the application closed. Pass it to operations that can be cancelled:
   * `fetch(url, { signal: ctx.signal })`.
   */
  readonly signal: AbortSignal;
  /** Logger. Its entries contain the ids of the request. */
  readonly log: Logger;
  /** Span of the current middleware or handler. Absent while spans are not recorded, and after the response. */
  readonly span?: Span | undefined;
  /**
   * Headers for requests to other services, so that these requests belong to the same trace: `traceparent`, and the
   * client's `tracestate` if there is any. While no spans are recorded, the client's own `traceparent` is passed on
   * until the response.
   *
   * @example
   * ```ts
   * const response = await fetch(url, { headers: { ...ctx.traceHeaders }, signal: ctx.signal });
   * ```
   */
  readonly traceHeaders: TraceHeaders;
  /**
   * Sets a response header. A second call with the same name replaces the value. For `set-cookie` it adds a value. An
   * error response keeps the headers that were set before, except headers that describe the unsent body (`content-*`,
   * `etag`, `last-modified`) or its caching (`cache-control`, `expires`).
   *
   * @throws {TypeError} If the name is invalid or reserved for the server (such as `content-length`), or if the value
   * has characters other than printable ASCII.
   */
  header(name: string, value: string | readonly string[]): this;
  /**
   * Sets a cookie, or deletes it if the value is `null`. The defaults are safe: scripts cannot read the cookie
   * (`HttpOnly`), browsers send it over HTTPS only (`Secure`, except in development) and with no request that another
   * site starts, except for navigation (`SameSite=Lax`), for every path (`Path=/`) of this host. To delete a cookie,
   * pass the options with which it was set. A second call with the same name, path and domain replaces the cookie.
   *
   * @example
   * ```ts
   * ctx.cookie("__Host-sid", session.id, { maxAge: 3600, signed: true });
   * ctx.cookie("__Host-sid", null);
   * ```
   * @throws {TypeError} If the name, the value or an option is invalid, or if browsers would ignore the cookie: for a
   * name with the prefix `__Host-` that has a `domain`, or for more than 4,096 bytes.
   */
  cookie(name: string, value: string | null, options?: CookieOptions): this;
  /**
   * Returns the value of a cookie that `ctx.cookie` has set with `signed: true`. Returns `undefined` if the request has
   * no cookie of this name, or if its signature is not by one of the application's keys. The contract does not declare
   * this cookie: in a slot `cookies`, the value contains the signature.
   *
   * @throws {TypeError} If the application has no keys (option `cookies.keys` of `createApp`).
   */
  signedCookie(name: string): string | undefined;
}

/** Members of `ctx` with which a handler answers if its contract declares a plain response. */
export interface PlainResponse {
  /**
   * Sets the status of the response, an integer from 200 to 599, in place of the contract's status. Errors have their
   * own status.
   *
   * @throws {RangeError} If the status is not an integer from 200 to 599.
   */
  status(status: number): this;
  /**
   * Creates a response that is not JSON. A handler returns it in place of the response that its contract declares. The
   * body is a string, bytes, or a stream: a Node `Readable`, a web `ReadableStream` or an async generator. kit reads a
   * stream as fast as the client receives it, and cancels the stream when the client disconnects. The status is the
   * contract's, or 200 if the contract has no response.
   *
   * @example
   * ```ts
   * "GET /notes.csv": ({ ctx }) => ctx.send(csvOfNotes(ctx.signal), { contentType: "text/csv; charset=utf-8" }),
   * ```
   * @throws {TypeError} If the body is of another type, or if an option is invalid.
   */
  send(body: RawBody, options?: SendOptions): RawResponse;
}

/** Member of `ctx` with which middleware, and handlers of contracts without `errors`, send an error. */
export interface AnyFail {
  /**
   * Throws an application error with the given status, so the code after the call does not run.
   *
   * @param status - HTTP status, an integer from 400 to 599.
   * @param code - Machine-readable code, such as `NOTE_NOT_FOUND`.
   * @param message - Message for the client.
   * @param details - Additional data for the client, sent as JSON.
   * @throws {AppError} Always. See `errorFor` of `@kit/errors`.
   */
  fail(status: number, code: string, message: string, details?: object): never;
}

/**
 * Context of a request, which every middleware and handler receives. The context also has the properties that
 * middleware added.
 *
 * @example
 * ```ts
 * "GET /notes/:id": async ({ params, ctx }) => {
 *   const note = await find(params.id);
 *   if (!note) return ctx.fail(404, "NOTE_NOT_FOUND", `There is no note ${params.id}`);
 *   ctx.log.info("Note read", { id: note.id });
 *   ctx.header("cache-control", "private, max-age=60");
 *   return note;
 * },
 * ```
 */
export interface RequestContext extends BaseContext, PlainResponse, AnyFail {}

/** Request headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;
