import type { Logger } from "../logging/log-entry.ts";
import type { TraceHeaders } from "./trace-headers.ts";
import type { RawBody, RawResponse, SendOptions } from "./raw-response.ts";

/** A span of the request's trace; present on `ctx` only while spans are recorded: with `telemetry.tracing`, or a plugin that looks at them. */
export interface Span {
  /** Adds an attribute to the span, or changes it; a request keeps 256. */
  setAttribute(name: string, value: string | number | boolean): void;
}

/**
 * What every middleware and handler is given about the request, besides what middleware added.
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
export interface RequestContext {
  /** 32 hexadecimal digits: of the request's `traceparent` where it has a valid one, else random. */
  readonly traceId: string;
  /** Names this request in logs; unique in the life of the process and unlikely to meet another process's. */
  readonly requestId: string;
  /** The route that matched, with its final path: `GET /notes/:id`. */
  readonly route: string;
  /** The request's method in upper case; `HEAD` where a GET route answers a HEAD request. */
  readonly method: string;
  /** The request's path in the normal form, in which each path has one spelling, percent-encoded and without the query. */
  readonly path: string;
  /**
   * The part of `path` that the route's wildcard takes, percent-encoded and with a final slash if the client sent one; absent if the route has no wildcard.
   * The parameter of the wildcard is decoded and has no final slash, so `a%2Fb` and `a/b` look the same there, and `a` and `a/`.
   *
   * @example
   * ```ts
   * // GET /files/a%2Fb/c/
   * "GET /files/*path": ({ params, ctx }) => [params.path, ctx.rawWildcard], // ["a/b/c", "a%2Fb/c/"]
   * ```
   */
  readonly rawWildcard?: string | undefined;
  /**
   * Address of the client: of whoever connected, or what the proxies say that `trustProxy` names. An IPv4 address that was mapped to IPv6 is
   * given as IPv4. Empty if it is unknown: the connection has none (a Unix socket), a trusted proxy's entry is malformed or no address, or it is
   * read for the first time after the answer.
   */
  readonly ip: string;
  /** Request headers by lower-case name; repeated ones are joined with `, `. Read only; empty after the answer. */
  readonly headers: RequestHeaders;
  /**
   * Aborted when nobody waits for the answer any more: the client went away, the request took longer than
   * `requestTimeoutMs`, or the application closed. Give it to what can be cancelled: `fetch(url, { signal: ctx.signal })`.
   */
  readonly signal: AbortSignal;
  /** Writes log entries that carry the request's ids. */
  readonly log: Logger;
  /** The span of the middleware or handler that runs; absent while spans are not recorded, and after the answer. */
  readonly span?: Span | undefined;
  /**
   * Headers for requests to other services, by which they belong to this request's trace: `traceparent`, and `tracestate` where the client sent one. While
   * no spans are recorded, the client's own `traceparent` is passed on until the answer.
   *
   * @example
   * ```ts
   * const answer = await fetch(url, { headers: { ...ctx.traceHeaders }, signal: ctx.signal });
   * ```
   */
  readonly traceHeaders: TraceHeaders;
  /** Answers with this status instead of the contract's; 200 to 599. Errors have a status of their own. */
  status(status: number): this;
  /**
   * Sets a response header; setting it again replaces it, but `set-cookie`, which is added. An error answer keeps the headers
   * that were set before, but those that describe the body that is not sent (`content-*`, `etag`, `last-modified`) or say
   * how long to keep it (`cache-control`, `expires`).
   */
  header(name: string, value: string | readonly string[]): this;
  /**
   * Makes an answer that is not JSON, for a handler to return in place of what its contract declares: text, bytes, or a stream (a Node
   * `Readable`, a web `ReadableStream`, an async generator), which is read as fast as the client takes it and let go of when the client leaves. The
   * status is the contract's, and 200 where the contract has no response.
   *
   * @example
   * ```ts
   * "GET /notes.csv": ({ ctx }) => ctx.send(csvOfNotes(ctx.signal), { contentType: "text/csv; charset=utf-8" }),
   * ```
   */
  send(body: RawBody, options?: SendOptions): RawResponse;
  /** Throws the application error of that status; nothing after it runs. */
  fail(status: number, code: string, message: string, details?: object): never;
}

/** Request headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;
