import type { CompiledRouteTree } from "./compiled.ts";

/** What decides how an adapter answers a path. Route numbers are indexes into {@link ServerService.routes}. */
export type RouteMatch =
  | { readonly kind: "route"; readonly route: number; readonly params: readonly string[] }
  | { readonly kind: "not-found" }
  | { readonly kind: "method-not-allowed"; readonly allow: readonly string[] }
  /** An invalid percent-escape in the path. */
  | { readonly kind: "bad-path" };

/** JSON text, bytes, or nothing. */
export type ResponseBody = string | Uint8Array | null;

/** The body of an answer that is written piece by piece; see {@link ServerExchange.respondStream}. */
export interface ResponseWriter {
  /**
   * Takes bytes, which nobody changes afterwards. `false`: enough is waiting for the client; what is written before the next
   * {@link ResponseStreamEvents.drain} is taken all the same. Does nothing once the client is gone.
   */
  write(chunk: Uint8Array): boolean;
  /** The body is complete. */
  end(): void;
  /** The body cannot be completed: cuts the connection, so that nobody takes what was sent for the whole. */
  destroy(): void;
}

/** What the writer of a {@link ResponseWriter} is told. None of these is called while one of its methods runs. */
export interface ResponseStreamEvents {
  /** The client has taken enough of what was waiting, after a `write` that gave `false`. */
  drain(): void;
  /**
   * The client went away before the whole body was written, or had gone already; called at most once, and nothing is called
   * after it.
   */
  abort(): void;
}

/**
 * One request and the one answer to it, as an adapter hands it to the pipeline. Everything but `method`, `target` and
 * `match` is read lazily, so that a request pays only for what its route looks at.
 */
export interface ServerExchange {
  /** Upper case. */
  readonly method: string;
  /**
   * Path and query: `/notes?page=2`. The path is in the normal form (see the guide's page on routing), the query as received.
   */
  readonly target: string;
  /** True if the client sent the path with a slash at its end, which `target` leaves out since a framework around kit would read another path. */
  readonly lostFinalSlash?: boolean;
  /** The answer of a matcher that the adapter runs itself; absent where the pipeline shall match. */
  readonly match?: RouteMatch;
  /** The body is larger than the limit: its bytes are not there and the answer must be 413. */
  readonly bodyTooLarge: boolean;
  /** Number of body bytes. */
  readonly bodyLength: number;
  /** The body as text, or nothing where it is not valid UTF-8. */
  bodyText(): string | undefined;
  /** The body's bytes. */
  bodyBytes(): Uint8Array;
  /** One header by its lower-case name; repeated ones are joined with `, `. */
  header(name: string): string | undefined;
  /** All headers, lower-case names. */
  headers(): Record<string, string>;
  /** Address of the peer. */
  readonly remoteAddress: string;
  /**
   * Calls back once if the client goes away before the answer is written, or closes its sending side, which looks the same. An answer
   * that is given after that is still sent.
   */
  onAbort(listener: () => void): void;
  /**
   * Answers; called exactly once. `headers` holds names and values in turn. An answer to HEAD is given with its body,
   * which the adapter counts and leaves out. Throws what cannot be written as it is (a header with a line break, say);
   * the request is unanswered then, and is to be answered with something else.
   */
  respond(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void;
  /**
   * Answers in place of {@link respond} with a body that comes piece by piece, with the same rules. `length` is the number of
   * bytes where it is known, and exactly that many are written then; otherwise the body is sent in chunks. The head is sent
   * without waiting for the first piece. An answer to HEAD, which has its head alone, is ended at once, whatever its length. Absent where an adapter cannot stream; the pipeline
   * collects the body then. Throws, as `respond` does, before anything was sent.
   */
  respondStream?(
    status: number,
    contentType: string | null,
    length: number | null,
    headers: readonly string[] | null,
    events: ResponseStreamEvents,
  ): ResponseWriter;
}

/** Bounds that adapters enforce. */
export interface ServerLimits {
  /** Greatest body in bytes; default 1 MiB. */
  readonly bodyBytes: number;
}

/** What a server refused or had to put off by itself, because it never became a request. */
export interface ServerRefusal {
  /** What the client was answered; absent where nobody was, since connections wait to be accepted. */
  readonly status?: number;
  /** `BAD_REQUEST`, `REQUEST_TIMEOUT`, `CONNECTION_LIMIT`, … */
  readonly code: string;
  /** A constant text, so that entries of one kind can be counted together. */
  readonly message: string;
  /** The trace id of the error body that the client was answered. */
  readonly traceId?: string;
  /** Address of the peer, where there is one. */
  readonly remoteAddress?: string;
}

/** What `@kit/core` gives an adapter to serve. */
export interface ServerService {
  readonly tree: CompiledRouteTree;
  /** Refs by route number. */
  readonly routes: readonly string[];
  readonly limits: ServerLimits;
  /** Runs the pipeline. Never throws; answers through {@link ServerExchange.respond}, now or later. */
  handle(exchange: ServerExchange): void;
  /** Logs what the server refused by itself: one entry for each kind and minute, however often it is called. Never throws. */
  refused?(refusal: ServerRefusal): void;
  /**
   * Answers a request that no middleware of the framework around kit has seen, or has let through. Never runs a handler or middleware
   * of kit's: answers with what the router says against the request (400, 404, 405); if a route fits, and `about` is `"body"`, with
   * what is wrong with the body; else with `error`, by default 404.
   */
  refuse?(exchange: ServerExchange, error: unknown, about?: "body"): void;
  /** Tells if a route of any method has the path. */
  hasRoute?(path: string): boolean;
  /**
   * Answers with an error that arose outside the pipeline: in middleware of a framework that the adapter wraps. Told and
   * logged as any other; never throws.
   */
  fail(exchange: ServerExchange, error: unknown): void;
}

/** Where to listen. */
export interface ListenOptions {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  /** Address to bind; default every address, IPv6 and IPv4. */
  readonly host?: string;
  /** A Unix socket to listen on; port and host are ignored then. Its file is removed at the end. */
  readonly path?: string;
  /**
   * The descriptor of a TCP socket that listens already and that this process inherited, as `kit dev` and systemd pass one on; the
   * rest is ignored then. Not on Windows.
   */
  readonly fd?: number;
}

/** Where a server listens. */
export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  /** `http://localhost:3000`, or `unix:/run/app.sock`. */
  readonly url: string;
  /** The Unix socket; `port` is 0 and `host` empty then. */
  readonly path?: string;
}

/** How to stop. */
export interface CloseOptions {
  /** Milliseconds that requests under way may still take; then their connections are cut. */
  readonly graceMs: number;
  /** Milliseconds that workers go on serving before that; only where {@link ServerAdapter.supervise} started them. */
  readonly delayMs?: number;
}

/** Where the primary process of a server with workers tells what becomes of them. */
export interface SupervisorLog {
  info(message: string, data?: object): void;
  warn(message: string, data?: object): void;
  error(message: string, data?: object): void;
}

/** What a server in a worker process tells its primary. */
export interface ServerWorker {
  /** From 1. */
  readonly number: number;
  /** The same in all workers of one primary, those that are started again too, and in no others; nobody else can guess it. */
  readonly group: string;
  /**
   * The application is ready. `close` is called, perhaps more than once, when the primary closes or is gone; it closes the
   * application and lets the process end.
   */
  ready(close: (options: Partial<CloseOptions>) => void): void;
  /** The application cannot start: tells the primary why and ends the process. */
  failed(error: unknown): Promise<never>;
}

/** A server that kit runs on. Handler code is the same for all of them. */
export interface ServerAdapter {
  /** `native`, `express`, … */
  readonly name: string;
  /** What runs beneath, with its version where known: `hyper`, `express 5.3`. */
  readonly platform: string;
  /** Starts; rejects with a clear error where the port is taken. */
  listen(service: ServerService, options: ListenOptions): Promise<ListenAddress>;
  /**
   * There where this process serves nothing itself and watches over workers that do; called in place of `listen`, without a
   * pipeline and without plugins. Resolves when every worker listens.
   */
  supervise?(options: ListenOptions, log: SupervisorLog): Promise<ListenAddress>;
  /** There where this process is such a worker. */
  readonly worker?: ServerWorker;
  /** Stops accepting, lets requests finish, then cuts. */
  close(options: CloseOptions): Promise<void>;
  /** How many connections are open; 0 while it does not listen. */
  connections?(): number;
  /** The wrapped framework's own instance. */
  getNativeServer(): unknown;
}
