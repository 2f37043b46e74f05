import type { CompiledRouteTree, MessageKinds } from "./compiled.ts";
import type { ServedFiles } from "./files.ts";
import type { ListenAddress, ListenOptions } from "./listen.ts";
import type { ServerSocket, SocketEvents, SocketOptions } from "./server-socket.ts";

/**
 * Result of matching a method and a path. A `route` runs its handler. The other kinds result in the statuses 404, 405
 * and 400. Route numbers are indexes into {@link ServerService.routes}.
 */
export type RouteMatch =
  | { readonly kind: "route"; readonly route: number; readonly params: readonly string[] }
  | { readonly kind: "not-found" }
  | { readonly kind: "method-not-allowed"; readonly allow: readonly string[] }
  /** The path has an invalid percent-escape. */
  | { readonly kind: "bad-path" };

/** Response body: a string (such as JSON), bytes, or `null` for an empty body. */
export type ResponseBody = string | Uint8Array | null;

/** Writer of a response body that is sent in chunks. See {@link ServerExchange.respondStream}. */
export interface ResponseWriter {
  /**
   * Writes bytes, which must not be changed afterwards. Returns `false` if enough bytes are waiting for the client.
   * Bytes that are written before the next {@link ResponseStreamEvents.drain} are still accepted. Does nothing if the
   * client has disconnected.
   */
  write(chunk: Uint8Array): boolean;
  /** Completes the body. */
  end(): void;
  /** Closes the connection because the body cannot be completed. The client then knows that the body is incomplete. */
  destroy(): void;
}

/**
 * Events for the user of a {@link ResponseWriter}. The adapter never calls these functions during a call of the
 * writer's methods.
 */
export interface ResponseStreamEvents {
  /** Called if the client has received enough of the waiting bytes, after a `write` that returned `false`. */
  drain(): void;
  /**
   * Called if the client closes the connection before the response body is complete. If the client has closed the
   * connection before the writer exists, `abort` is called as soon as the writer is created. Called at most once; no
   * other function of these events is called afterwards.
   */
  abort(): void;
}

/**
 * Code of an error with which {@link RequestBodyReader.read} rejects.
 *
 * - `ERR_KIT_BODY_ABORTED`: the client disconnected, or the server closed the connection, before the end of the body.
 * - `ERR_KIT_BODY_CANCELED`: `cancel` was called, or the response was sent.
 * - `ERR_KIT_BODY_INVALID`: the client sent invalid chunks. The adapter has responded with 400 and closes the
 *   connection.
 * - `ERR_KIT_BODY_TIMEOUT`: the client sent nothing for too long. The adapter has responded with 408 and closes the
 *   connection.
 * - `ERR_KIT_BODY_TOO_LARGE`: the body is larger than the limit of its route. The service must respond with 413.
 */
export type RequestBodyErrorCode =
  | "ERR_KIT_BODY_ABORTED"
  | "ERR_KIT_BODY_CANCELED"
  | "ERR_KIT_BODY_INVALID"
  | "ERR_KIT_BODY_TIMEOUT"
  | "ERR_KIT_BODY_TOO_LARGE";

/**
 * Reader of a request body that arrives in chunks. See {@link ServerExchange.readBody}.
 *
 * The adapter reads from the connection only while the service reads. At most about 64 KiB, or one larger chunk, wait in
 * the server, as for responses. The rest waits at the client.
 */
export interface RequestBodyReader {
  /**
   * Resolves to the next chunk, which is never empty and belongs to the caller, or to `null` at the end of the body.
   * Rejects with an `Error` whose `code` is a {@link RequestBodyErrorCode}. Every later call then rejects with the same
   * error. The next call must wait until the promise of the previous call is settled.
   */
  read(): Promise<Uint8Array | null>;
  /** Ends reading. The rest of the body is not read. Has no effect after the end of the body. Never throws. */
  cancel(): void;
}

/**
 * One request and its response, passed from an adapter to the pipeline. All properties except `method`, `target` and
 * `match` are computed when they are read, so a route pays only for the properties that it uses.
 */
export interface ServerExchange {
  /** Method in upper case. */
  readonly method: string;
  /**
   * Path and query: `/notes?page=2`. The path is in the normal form (see the guide's page on routing). The query is
   * unchanged.
   */
  readonly target: string;
  /** Scheme of the connection. Default `http`. */
  readonly scheme?: "http" | "https";
  /**
   * True if the client sent the path with a trailing slash. `target` never has this slash, so that kit and a framework
   * around it see the same path. Only `ctx.rawWildcard` contains it.
   */
  readonly hadTrailingSlash?: boolean;
  /** Result of a matcher that the adapter runs itself. If absent, the pipeline matches the path. */
  readonly match?: RouteMatch;
  /**
   * True if the adapter adds the headers of {@link ServerService.responseRules} to the response of this request, so
   * that the service does not add them.
   */
  readonly hasResponseRules?: boolean;
  /**
   * True if the adapter adds {@link ResponseRules.defaults} to all responses of this server, so that the service does
   * not add them.
   */
  readonly hasResponseDefaults?: boolean;
  /**
   * Tells the adapter that the service logs this request, so that the adapter does not call
   * {@link ServerService.logAnswer} for it.
   */
  noteLogged?(): void;
  /** True if the body is larger than the limit. Its bytes are not available, and the response must be 413. */
  readonly bodyTooLarge: boolean;
  /** Number of bytes of the body. -1 for a body in chunks whose length the client has not declared. */
  readonly bodyLength: number;
  /**
   * Returns the body as a string, or `undefined` if it is not valid UTF-8. Throws an error with the code
   * `ERR_KIT_BODY_STREAMED` if the body arrives in chunks.
   */
  bodyText(): string | undefined;
  /**
   * Returns the bytes of the body. Throws an error with the code `ERR_KIT_BODY_STREAMED` if the body arrives in chunks.
   */
  bodyBytes(): Uint8Array;
  /**
   * Returns the reader of a body that arrives in chunks. Every call returns the same reader. Present for requests to the
   * routes of {@link ServerService.streamedBodies}, also if they have no body, unless `bodyTooLarge` is true.
   *
   * The response ends reading: {@link respond} immediately, {@link respondStream} at the end of its body. If the adapter
   * has not received the whole body when the head of the response is sent, the connection closes after the response. The
   * adapter then discards what the client still sends, within its limits, so that the client can read the response.
   */
  readBody?(): RequestBodyReader;
  /** Returns a header by its lower-case name. Repeated headers are joined with `, `. */
  header(name: string): string | undefined;
  /** Returns all headers, with lower-case names. */
  headers(): Record<string, string>;
  /** IP address of the peer of the connection. */
  readonly remoteAddress: string;
  /**
   * Returns the certificate of the client in DER, which the adapter has verified. Returns `undefined` if there is none, and if the client
   * has disconnected. Absent if the adapter has no TLS.
   */
  clientCertificate?(): Uint8Array | undefined;
  /**
   * Registers a listener, which is called once if the client disconnects before the response is written. The adapter
   * cannot distinguish this from a client that only closes its sending side. If the service responds after the call,
   * the adapter still sends the response.
   */
  onAbort(listener: () => void): void;
  /**
   * Sends the response. Must be called exactly once. `headers` is a list of name, value, name, value. A response to
   * HEAD is given with its body. The adapter sends the length of this body but not the body itself. Throws if a
   * value cannot be sent unchanged, such as a header with a line break. After such an error, the pipeline must send
   * another response.
   */
  respond(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void;
  /**
   * Sends the response with a body that is written in chunks, in place of {@link respond} and with the same
   * rules. `length` is the number of bytes. If it is given, the writer must receive exactly this number of
   * bytes. If it is `null`, the adapter sends the body without a length. The adapter sends the head without
   * waiting for the first chunk. A response to HEAD consists of the head only, so it ends immediately.
   * Throws, as `respond` does, before it sends anything. Absent if the adapter cannot stream. In this case,
   * the pipeline collects the body in memory.
   */
  respondStream?(
    status: number,
    contentType: string | null,
    length: number | null,
    headers: readonly string[] | null,
    events: ResponseStreamEvents,
  ): ResponseWriter;
  /**
   * Accepts the request as a WebSocket, in place of {@link respond}: sends the response with the status 101 and its headers,
   * and returns the socket. Present only for GET requests of HTTP/1.1 with `connection: upgrade` and `upgrade: websocket` to
   * the routes of {@link ServerService.socketRoutes}. The service has checked the other headers of the handshake (RFC 6455,
   * 4.2.1). Throws, as `respond` does, before anything is sent. If the client has disconnected,
   * {@link SocketEvents.closed} is called soon after.
   */
  acceptSocket?(options: SocketOptions, events: SocketEvents): ServerSocket;
}

/** Limits that adapters enforce. */
export interface ServerLimits {
  /** Maximum size of a request body in bytes. Default 1 MiB. */
  readonly bodyBytes: number;
}

/** Body limits of an application in which a route has its own limit. */
export interface BodyLimits {
  /** Maximum size of a body in bytes, by route number. */
  readonly byRoute: readonly number[];
  /**
   * Returns the limit for a request. `target` is its path and query. If no route matches, the limit is {@link
   * ServerLimits.bodyBytes}.
   */
  of(method: string, target: string): number;
}

/** Routes of an application whose request bodies arrive in chunks. */
export interface StreamedBodies {
  /** True for each route whose body arrives in chunks, by route number. */
  readonly byRoute: readonly boolean[];
  /** Returns true if the body of a request arrives in chunks. `target` is its path and query. */
  has(method: string, target: string): boolean;
  /** Minimum bytes per second, by route number and by request; `null` for the adapter's rate. Absent if no route has its own. */
  readonly rates?: {
    readonly byRoute: readonly (number | null)[];
    of(method: string, target: string): number | null;
  };
}

/** Request or connection that a server refused or delayed by itself, so that the pipeline never received it. */
export interface ServerRefusal {
  /**
   * HTTP status that the client received. Absent if there was no response, because connections are waiting to be
   * accepted, or because a TLS handshake has failed.
   */
  readonly status?: number;
  /** Code such as `BAD_REQUEST`, `REQUEST_TIMEOUT`, `CONNECTION_LIMIT`. */
  readonly code: string;
  /** Constant message, so that entries of one kind can be counted together. */
  readonly message: string;
  /** Trace id in the error body that the client received. */
  readonly traceId?: string;
  /** IP address of the peer, if it is known. */
  readonly remoteAddress?: string;
  /** Level of the log entry. Default `warn`. */
  readonly level?: "debug" | "warn";
}

/** Error of a response that a server sends without the service. All values are constants of the server. */
export interface ErrorBodySource {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/**
 * Part of an error body: constant text, or the position at which the trace id is inserted (`hex`: 32
 * hexadecimal digits, `uuid`: in the form of a UUID).
 */
export type ErrorBodyPart = { readonly text: string } | { readonly id: "hex" | "uuid" };

/** Format of error bodies that the option `errors` selects, for responses that an adapter sends without the service. */
export interface ErrorBodies {
  /** Media type of the bodies. */
  readonly contentType: string;
  /** Returns the parts of a body. Creates them once for each error. Never throws. */
  parts(error: ErrorBodySource): readonly ErrorBodyPart[];
  /** Returns the body with a trace id. Never throws. */
  body(error: ErrorBodySource, traceId: string): string;
}

/** Response that a framework or its middleware sent, so that the pipeline never received the request. */
export interface ServerAnswer {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** Number of bytes of the body. Absent if it is unknown. */
  readonly bytes?: number;
  /** Time from the head of the request to the end of the response. */
  readonly durationMs: number;
  /** IP address of the peer. */
  readonly remoteAddress: string;
  /** True if the client did not receive the whole response. */
  readonly isCut: boolean;
  /** Returns a request header by its lower-case name. */
  header(name: string): string | undefined;
}

/**
 * Headers that every response must have, because of options such as `cors` and `securityHeaders`. The service adds them
 * to its responses. An adapter adds them to responses that it or its framework sends without the service.
 *
 * `headers` and `isPreflight` receive a function that returns a request header by its lower-case name.
 */
export interface ResponseRules {
  /**
   * Headers that do not depend on the request: lower-case name, value, name, value. A response has each of them
   * unless it has its own header of that name. This includes responses to input that is not a request.
   */
  readonly defaults: readonly string[];
  /**
   * Returns a list of name, value, name, value. A header replaces the response's own header of that name, except
   * that the members of `vary` are joined.
   */
  headers(header: (name: string) => string | undefined): readonly string[];
  /**
   * Returns true for a preflight request of CORS. The adapter passes such a request to the service and not to its
   * framework, whose authentication would refuse the request: browsers send no credentials with it.
   */
  isPreflight(method: string, header: (name: string) => string | undefined): boolean;
}

/** Service that `@kit/core` provides and an adapter serves. */
export interface ServerService {
  /** Radix tree, for adapters with their own matcher. */
  readonly tree: CompiledRouteTree;
  /** Refs of the routes (`GET /notes/:id`), by route number. */
  readonly routes: readonly string[];
  /** Limits that the adapter must enforce. */
  readonly limits: ServerLimits;
  /**
   * Body limits by route, in place of {@link ServerLimits.bodyBytes}. The adapter must enforce them before it reads a
   * body. Absent if no route has its own limit.
   */
  readonly bodyLimits?: BodyLimits;
  /**
   * Routes whose requests the adapter passes on as soon as their heads are read, with
   * {@link ServerExchange.readBody}. Absent if no route has bodies in chunks.
   */
  readonly streamedBodies?: StreamedBodies;
  /**
   * True for each route that accepts WebSockets, by route number. Such a route has the method GET in the tree. Absent if no
   * route accepts WebSockets.
   */
  readonly socketRoutes?: readonly boolean[];
  /**
   * Kinds of messages of WebSockets that have other messages than JSON, by ref of the route, for tests. Absent if there are none.
   */
  readonly socketKinds?: ReadonlyMap<string, MessageKinds>;
  /**
   * Static files. Absent if there are none, or if the service must see every request, such as for the request log. The
   * service serves them too, so that an adapter may ignore this property.
   */
  readonly servedFiles?: ServedFiles;
  /** Runs the pipeline. Never throws. Responds through {@link ServerExchange.respond}, immediately or later. */
  handle(exchange: ServerExchange): void;
  /** Logs a refusal by the server, with one entry per kind and minute. Never throws. */
  logRefusal?(refusal: ServerRefusal): void;
  /** Logs a response that was sent without the service. Absent if requests are not logged. Never throws. */
  logAnswer?(answer: ServerAnswer): void;
  /**
   * Responds to a request that no middleware of the framework around kit has seen or allowed. Never runs a handler or
   * middleware of kit. Responds with the router's refusal (400, 404, 405) if there is one. If a route matches and
   * `about` is `"body"`, responds with the refusal of the body. Otherwise responds with `error`, by default 404.
   */
  refuseUnseen?(exchange: ServerExchange, error: unknown, about?: "body"): void;
  /** Returns true if a route of any method matches the path. */
  hasRoute?(path: string): boolean;
  /**
   * Returns true if a route matches the method and the path, or if the service has a page of its own there, such as a health check or the
   * OpenAPI document. `target` is the path and query of the request. Static files do not count.
   */
  serves?(method: string, target: string): boolean;
  /** Headers of every response. Absent if no option requires any. */
  readonly responseRules?: ResponseRules;
  /** Format of error bodies. Absent if errors have the format `{ error: { code, message, details?, traceId } }`. */
  readonly errorBodies?: ErrorBodies;
  /**
   * Responds with an error that was thrown outside of the pipeline, in middleware of a framework that the adapter
   * wraps. The error is formatted and logged like any other error. Never throws.
   */
  fail(exchange: ServerExchange, error: unknown): void;
}

/** Options for closing a server. */
export interface CloseOptions {
  /** Grace period in milliseconds. Requests in progress may take this long before their connections are closed. */
  readonly graceMs: number;
  /**
   * Milliseconds that workers continue to serve before the grace period. Applies only to workers that
   * {@link ServerAdapter.supervise} started.
   */
  readonly delayMs?: number;
}

/** Log to which the primary process reports events of its workers. */
export interface SupervisorLog {
  /** Logs an event. */
  info(message: string, data?: object): void;
  /** Logs a problem, such as the restart of a worker. */
  warn(message: string, data?: object): void;
  /** Logs a failure. */
  error(message: string, data?: object): void;
}

/** Connection of a server in a worker process to its primary process. */
export interface ServerWorker {
  /** Number of the worker, from 1. */
  readonly number: number;
  /** Secret that all workers of one primary share, including restarted workers, and that no other process can guess. */
  readonly group: string;
  /**
   * Reports that the application is ready. `close` is called, possibly more than once, when the primary closes or has
   * exited. It closes the application and lets the process exit.
   */
  ready(close: (options: Partial<CloseOptions>) => void): void;
  /** Reports to the primary why the application cannot start, then exits the process. */
  failed(error: unknown): Promise<never>;
}

/** Server that {@link ServerAdapter.listenPlain} has started. */
export interface PlainServer {
  readonly address: ListenAddress;
  /** Closes this server as {@link ServerAdapter.close} does. */
  close(options: CloseOptions): Promise<void>;
}

/** Server that kit runs on. Handlers are the same for all servers. */
export interface ServerAdapter {
  /** Name of the adapter: `native`, `express`, … */
  readonly name: string;
  /** Underlying server, with its version if it is known: `hyper`, `express 5.3`. */
  readonly platform: string;
  /** Starts the server. Rejects with a clear error if the port is in use. */
  listen(service: ServerService, options: ListenOptions): Promise<ListenAddress>;
  /**
   * Starts workers and supervises them. Present if this process serves no requests itself. Called in place of `listen`,
   * without a pipeline and without plugins. Resolves when every worker listens.
   */
  supervise?(options: ListenOptions, log: SupervisorLog): Promise<ListenAddress>;
  /** Connection to the primary process. Present only if this process is a worker. */
  readonly worker?: ServerWorker;
  /** Stops accepting connections, waits for requests in progress, then closes the remaining connections. */
  close(options: CloseOptions): Promise<void>;
  /**
   * Reads the files of {@link ListenOptions.tls} again, for new connections. Throws if they cannot be used, and keeps those in use.
   * Errors of the files, also those of `listen`, have the code `ERR_KIT_TLS`, and advice in the property `help`. Present only if the
   * adapter supports TLS.
   */
  reloadTls?(): void;
  /** True if the adapter supports `tls.http2`. */
  readonly hasHttp2?: boolean;
  /**
   * Starts another server, without TLS and without the framework of the adapter, that has the limits and timeouts of this server. Used
   * for redirects to the server with TLS. Rejects as {@link listen} does. Present only if the adapter supports TLS.
   */
  listenPlain?(service: ServerService, options: ListenOptions): Promise<PlainServer>;
  /** Returns the number of open connections. 0 while the server does not listen. */
  connections?(): number;
  /** Returns the server that the adapter wraps, such as the application of Express. */
  getNativeServer(): unknown;
}
