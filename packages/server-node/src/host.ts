import { lookup } from "node:dns/promises";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import type { CloseOptions, ListenAddress, ListenOptions, ServerService, TlsOptions } from "@kit/types";

import { bodyLimitOf, isStreamed } from "./body-limit.ts";
import { refuseReading } from "./body-reader.ts";
import { applyAuthority, authorityOf } from "./authority.ts";
import { receiveBody } from "./read-request-body.ts";
import { type HostLimits, serverOptionsFor, defaultLimits } from "./limits.ts";
import { DirectExchange } from "./direct-exchange.ts";
import { originForm, refusalOf } from "./guard.ts";
import { watchHalfClosed } from "./half-closed.ts";
import { isEnding, Discarder } from "./discard.ts";
import { http, https } from "./http-module.ts";
import { addressOf, listenError } from "./listen-error.ts";
import { type Framework, destinationOf } from "./destination.ts";
import { badRequest, earlyBytes, expectationFailed, notImplemented } from "./refusal.ts";
import { lastResponse, Refuser, type TrackedSocket } from "./refuser.ts";
import { logAnswer } from "./answer-log.ts";
import { applyRules, headerReader } from "./response-rules.ts";
import { afterRow, postpone, reserve, serveInRow } from "./row.ts";
import { removeStaleSocket } from "./stale-socket.ts";
import { StalledReaders } from "./stalled-readers.ts";
import { acceptTls, connectionRules, readTls, replaceTls } from "./tls.ts";
import { type CheckedTimeouts, defaultBodyIdleTimeout, defaultBodyRate } from "./timeouts.ts";
import { continueWhenRead, readingErrorOf, watchUpload } from "./upload.ts";
import { isHandshake, isWebSocket, WebSocketServers } from "./web-sockets.ts";

/** Function that receives the requests of a node:http server. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Address that a server binds to: an IP address and port, a Unix socket, or an open file descriptor. */
export type BindAddress =
  | { readonly port: number; readonly host?: string; readonly path?: undefined; readonly reusePort?: true }
  | { readonly path: string }
  | { readonly fd: number; readonly path?: undefined };

/** Address to listen on, and an option to share the port with other processes. */
export interface NodeListenOptions extends ListenOptions {
  readonly sharePort?: boolean;
}

/** Properties of node:http servers that Node reads but its type declarations omit. */
interface Undeclared {
  requireHostHeader: boolean;
  joinDuplicateHeaders: boolean;
  keepAliveTimeoutBuffer: number;
  httpAllowHalfOpen: boolean;
}

const idleCheckMs = 50;
/**
 * Maximum time that a shutdown waits for the first request of an accepted connection, in milliseconds. It is
 * enough on a busy machine.
 */
const firstRequestTimeoutMs = 2_000;

/** Maximum number of open connections if neither the options nor the server set a limit. */
const defaultConnections = 100_000;

/**
 * Lifecycle of a node:http server, from start to shutdown. The host also refuses requests that Node's parser accepts but kit's native
 * server refuses, before a framework sees them.
 *
 * @example
 * ```ts
 * const { timeouts, limits } = checkOptions("myServer", { maxConnections: 10_000 });
 * const host = NodeHost.of(undefined, service, timeouts, undefined, limits);
 * const { url } = await host.listen({ port: 3000 });
 * await host.close({ graceMs: 10_000 });
 * ```
 */
export class NodeHost {
  readonly #server: Server;
  readonly #service: ServerService;
  readonly #limits: HostLimits;
  readonly #bodyTimeout: number | undefined;
  readonly #bodyIdleTimeout: number;
  readonly #bodyRate: number;
  readonly #framework: Framework | undefined;
  readonly #refuser: Refuser;
  readonly #listeners: readonly RequestListener[];
  readonly #sockets = new Set<TrackedSocket>();
  readonly #stalled: StalledReaders;
  readonly #tls: TlsOptions | undefined;
  /** Connections whose TLS handshake is not complete. */
  readonly #handshakes: ReadonlySet<Socket> = new Set();
  #closing = false;
  /** True if other processes have a copy of the listening socket. */
  #isShared = false;

  /**
   * Handles the connections of a Node server, which must not be listening yet. Requests that kit does not refuse are
   * passed on as the server's event `request`.
   */
  constructor(
    server: Server,
    service: ServerService,
    { bodyTimeout, bodyIdleTimeout, bodyRate, writeTimeout, ...timeouts }: CheckedTimeouts,
    /** Framework that receives the requests; `undefined` if kit serves all requests itself. */
    framework: Framework | undefined,
    limits: HostLimits = defaultLimits,
    /** Files of TLS if the server is one of node:https. */
    tls?: TlsOptions,
  ) {
    this.#server = server;
    this.#tls = tls;
    this.#framework = framework;
    this.#service = service;
    this.#limits = limits;
    // Node cannot limit the time of single requests, and uploads in chunks have no total limit.
    const isTimedHere = service.streamedBodies !== undefined && timeouts.requestTimeout !== 0;
    this.#bodyTimeout = isTimedHere ? timeouts.requestTimeout : bodyTimeout;
    this.#bodyIdleTimeout = bodyIdleTimeout ?? defaultBodyIdleTimeout;
    this.#bodyRate = bodyRate ?? defaultBodyRate;
    this.#stalled = new StalledReaders(this.#sockets, writeTimeout);
    const discarder = new Discarder(limits.discard);
    this.#refuser = new Refuser(service, discarder);
    // Node drops headers above this number silently. One above the limit shows the guard that there are too many.
    Object.assign(server, timeouts, { maxHeadersCount: limits.headerFields + 1 });
    if (isTimedHere) server.requestTimeout = 0;
    server.maxConnections =
      limits.connections ?? (server.maxConnections as number | undefined) ?? defaultConnections;
    // `requireHostHeader`: a missing `Host` is refused by the guard, whose response has a body. `joinDuplicateHeaders`: repeated headers
    // are joined, so that the guard sees all values. `keepAliveTimeoutBuffer`: a connection stays open for the announced time, and not a
    // second longer. `httpAllowHalfOpen`: a client that closes its sending side still gets its response; Node would close the other side
    // too, and the response would be lost.
    const undeclared: Undeclared = {
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      keepAliveTimeoutBuffer: 0,
      httpAllowHalfOpen: true,
    };
    Object.assign(server, undeclared);
    const listeners = server.listeners("request") as RequestListener[];
    this.#listeners = listeners;
    server.removeAllListeners("request").removeAllListeners("clientError");
    server.on("request", (request, response) => this.#receive(request, response, listeners));
    server.on("checkContinue", (request, response) => {
      if (isStreamed(service, request)) continueWhenRead(request, () => sendContinueInOrder(response));
      // Do not ask the client for a body that is too large.
      else if (!(Number(request.headers["content-length"]) > bodyLimitOf(service, request)))
        sendContinueInOrder(response);
      server.emit("request", request, response);
    });
    server.on("checkExpectation", (_request, response) => this.#refuser.request(response, expectationFailed));
    server.on("connect", (_request, socket) =>
      afterRow(socket as TrackedSocket, () =>
        this.#refuser.connection(socket, notImplemented("this server is not a proxy")),
      ),
    );
    server.on("clientError", (error, socket) => this.#refuseInput(error, socket as TrackedSocket));
    server.on("drop", () =>
      service.logRefusal?.({
        code: "CONNECTION_LIMIT",
        message:
          "the maximum number of connections (`maxConnections`) is open; the server closes new connections",
      }),
    );
    const track = (socket: Socket): void => {
      this.#sockets.add(socket);
      discarder.attach(socket);
      // Make Node cache the address now: it is no longer available after the client has disconnected.
      void socket.remoteAddress;
      socket
        .once("end", () => isAnswering(socket) && !isWebSocket(socket) && watchHalfClosed(socket))
        .once("close", () => this.#sockets.delete(socket));
    };
    if (tls === undefined) server.on("connection", track);
    else this.#handshakes = acceptTls(server as unknown as SecureServer, tls, track, service);
  }

  /**
   * Creates a node:http server, or a node:https server with `tls`, and its host. Requests go to the framework's `listener`. Without a listener, kit serves all requests itself.
   * `onServer` gets the server first, and may add listeners of its own.
   */
  static of(
    listener: RequestListener | undefined,
    service: ServerService,
    timeouts: CheckedTimeouts,
    framework: Framework | undefined = listener && {},
    limits: HostLimits = defaultLimits,
    tls?: TlsOptions,
    onServer?: (server: Server) => void,
  ): NodeHost {
    const serve = listener ?? ((request, response) => serveDirectly(service, request, response));
    const options = serverOptionsFor(timeouts, limits);
    if (tls === undefined) {
      const server = http.createServer(options, serve);
      onServer?.(server);
      return new NodeHost(server, service, timeouts, framework, limits);
    }
    const rules = connectionRules(tls, timeouts.headersTimeout);
    const server = https().createServer(
      { ...options, ...rules, ...readTls(tls) },
      serve,
    ) as unknown as Server;
    onServer?.(server);
    return new NodeHost(server, service, timeouts, framework, limits, tls);
  }

  /** Reads the files of TLS again. Throws if they cannot be used, and keeps those in use. */
  reloadTls(): void {
    if (this.#tls !== undefined) replaceTls(this.#server as unknown as SecureServer, this.#tls);
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Starts listening. Rejects with an error that explains the cause if the server cannot listen on the address. */
  async listen(
    where: NodeListenOptions,
    start: (address: BindAddress) => Promise<unknown> = (address) => this.#bind(address),
  ): Promise<ListenAddress> {
    const { port, host, path, fd } = where;
    const webSockets = await WebSocketServers.for(this.#service);
    if (webSockets !== undefined) this.#acceptHandshakes(webSockets);
    try {
      this.#isShared = fd !== undefined;
      if (fd !== undefined) await start({ fd });
      else if (path !== undefined) {
        await removeStaleSocket(path);
        await start({ path });
      } else {
        // Resolve the name to one address: a name may have several, and a framework would create a server for each.
        const shared = where.sharePort === true ? ({ reusePort: true } as const) : {};
        await start({ port, ...(host !== undefined && { host: (await lookup(host)).address }), ...shared });
      }
    } catch (error) {
      throw listenError(error, where);
    }
    this.#stalled.start();
    return addressOf(this.#server, this.#tls !== undefined);
  }

  /** Stops accepting connections, waits up to `graceMs` for requests in progress, then closes the remaining connections. */
  async close(
    { graceMs }: CloseOptions,
    stop: (unbind: () => Promise<unknown>) => Promise<unknown> = (unbind) => unbind(),
  ): Promise<void> {
    const server = this.#server;
    this.#closing = true;
    for (const socket of this.#handshakes) socket.destroy();
    const left = this.#isShared ? await this.#stopAccepting() : undefined;
    await waitForPendingInput();
    // Close each connection after its next response.
    for (const { [lastResponse]: response } of this.#sockets) {
      if (response !== undefined && !response.headersSent) response.shouldKeepAlive = false;
    }
    const sweep = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, graceMs);
    try {
      await stop(() => this.#unbind());
      await left?.ended;
    } finally {
      clearInterval(sweep);
      clearTimeout(cut);
      this.#stalled.stop();
    }
  }

  #bind(address: BindAddress): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { backlog } = this.#limits;
    const options = { ...address, ...(backlog !== undefined && { backlog }) };
    this.#server.once("error", reject).listen(options, () => {
      this.#server.off("error", reject);
      resolve();
    });
    return promise;
  }

  /**
   * Stops accepting connections, then waits until each accepted client has sent its first request: the client
   * could as well have been accepted by the next process, so it must get a response. During the wait, each
   * response closes its connection.
   */
  async #stopAccepting(): Promise<{ ended: Promise<void> }> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // `close` of node:http would also close idle connections, including those that are about to send their first request.
    NetServer.prototype.close.call(this.#server, () => resolve());
    const end = performance.now() + firstRequestTimeoutMs;
    await waitForPendingInput();
    while (this.#closeIdle() && performance.now() < end) await sleep(idleCheckMs);
    return { ended: promise };
  }

  /**
   * Closes connections that are idle between two requests. Returns true if some connections have not sent
   * their first request. node:http counts these connections as idle too, so this method protects them from
   * being closed.
   */
  #closeIdle(): boolean {
    const silent = [...this.#sockets].filter((socket) => socket[lastResponse] === undefined);
    for (const socket of silent) socket.destroy = () => socket;
    this.#server.closeIdleConnections();
    for (const socket of silent) Reflect.deleteProperty(socket, "destroy");
    return silent.length > 0;
  }

  #unbind(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // An error means that the server does not listen, so it is closed too.
    this.#server.close(() => resolve());
    return promise;
  }

  /** Passes handshakes of WebSockets on like other requests. */
  #acceptHandshakes(webSockets: WebSocketServers): void {
    const server: Server & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean } = this.#server;
    // Node 24.9 and newer. Older versions emit `upgrade` for all requests with this header.
    server.shouldUpgradeCallback = isHandshake;
    server.on("upgrade", (request, duplex, head) => {
      // A library with a listener of its own, such as socket.io, accepts handshakes for other paths.
      const isShared = server.listenerCount("upgrade") > 1;
      if (isShared && this.#service.serves?.(request.method!, request.url!) !== true) return;
      const socket = duplex as TrackedSocket;
      const refuse = (early: ServerResponse): void => this.#refuser.request(early, earlyBytes);
      afterRow(socket, () => {
        const response = webSockets.responseTo(request, socket, head.length > 0 ? refuse : undefined);
        if (isHandshake(request)) this.#receive(request, response, this.#listeners);
        else this.#refuser.request(response, notImplemented("this server supports no other protocols"));
      });
    });
  }

  #receive(request: IncomingMessage, response: ServerResponse, listeners: readonly RequestListener[]): void {
    const socket = request.socket as TrackedSocket;
    if (isEnding(socket)) {
      // No further response is sent, but Node parses what it reads.
      reserve(response);
      return;
    }
    socket[lastResponse] = response;
    if (this.#closing) response.shouldKeepAlive = false;
    const rules = this.#service.responseRules;
    const authority = authorityOf(request.url!);
    request.url = originForm(request.url!);
    let refusal = refusalOf(request, this.#limits);
    if (refusal === undefined && authority !== undefined) refusal = applyAuthority(request, authority);
    if (refusal !== undefined) {
      this.#refuser.request(response, refusal);
      return;
    }
    // `OPTIONS *` is a request about the server and not about a path. The response lists methods, and no handler runs. Frameworks do not
    // know this path. Preflight requests of CORS have no credentials, so that authentication in a framework would refuse them.
    const isKits = request.url === "*" || rules?.isPreflight(request.method!, headerReader(request)) === true;
    const found = isKits ? "kit" : destinationOf(request, this.#framework);
    const destination =
      found === "error" && this.#service.refuseUnseen === undefined
        ? badRequest("the request cannot be routed")
        : found;
    if (typeof destination === "object") {
      this.#refuser.request(response, destination);
      return;
    }
    serveInRow(socket, response, () => {
      this.#limitBody(request, response);
      if (destination === "kit") serveDirectly(this.#service, request, response);
      else if (destination === "error") refuseDirectly(this.#service, request, response);
      else {
        if (this.#service.logAnswer !== undefined) logAnswer(this.#service, request, response);
        if (rules !== undefined) applyRules(rules, request, response);
        for (const listener of listeners) listener.call(this.#server, request, response);
      }
    });
  }

  /** Limits the time in which the body of a request may arrive. */
  #limitBody(request: IncomingMessage, response: ServerResponse): void {
    if (isStreamed(this.#service, request)) {
      const own = this.#service.streamedBodies?.rates?.of(request.method!, request.url!);
      const pace = { idleMs: this.#bodyIdleTimeout, bytesPerSecond: own ?? this.#bodyRate };
      watchUpload(request, response, pace, () => this.#refuseLate(request));
    } else if (this.#bodyTimeout !== undefined) this.#awaitBody(request, response, this.#bodyTimeout);
  }

  /** Refuses a request whose body did not arrive in time. */
  #refuseLate(request: IncomingMessage): void {
    const error = Object.assign(new Error("the body took too long"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    this.#refuseInput(error, request.socket as TrackedSocket);
  }

  /** Refuses input that is invalid or late. The handler of the request may already be reading its body. */
  #refuseInput(error: NodeJS.ErrnoException, socket: TrackedSocket): void {
    const response = socket[lastResponse];
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
      const { headersTimeout, requestTimeout } = this.#server;
      const isBody = response?.req.complete === false;
      const milliseconds = isBody ? (this.#bodyTimeout ?? requestTimeout) : headersTimeout;
      // Node does not read while many responses wait, so the client is not late.
      if (postpone(socket, milliseconds, () => this.#refuseInput(error, socket))) return;
    }
    if (response !== undefined) refuseReading(response.req, readingErrorOf(error));
    this.#refuser.invalidInput(error, socket);
  }

  /** Refuses the request if its body does not arrive within the given time. */
  #awaitBody(request: IncomingMessage, response: ServerResponse, milliseconds: number): void {
    const { "content-length": length, "transfer-encoding": coding } = request.headers;
    if (coding === undefined && (length === undefined || length === "0")) return;
    const timer = setTimeout(() => {
      if (!request.complete) this.#refuseLate(request);
    }, milliseconds);
    const clear = (): void => clearTimeout(timer);
    request.once("end", clear);
    // If the response is sent before all of the request is read, `end` is not always emitted.
    response.once("close", clear);
  }
}

/** Returns true if the server has not yet written all of the connection's last response. */
function isAnswering(socket: TrackedSocket): boolean {
  return !socket.destroyed && socket[lastResponse]?.writableFinished === false;
}

/**
 * Waits until the server has read the data that the operating system has received for it: one turn of the
 * event loop accepts connections, and the next turn reads from them. Without the wait, a shutdown would close
 * a connection that only seems idle, and its request would be lost.
 */
async function waitForPendingInput(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((next) => setImmediate(next));
}

/**
 * Sends `100 Continue` after the responses to earlier requests of the connection. Node itself can write this
 * line too late, after the head of the request's own response. The client would then read the line as the
 * beginning of the body.
 */
function sendContinueInOrder(response: ServerResponse): void {
  if (response.socket !== null) response.writeContinue();
  else
    response.once("socket", () => {
      if (!response.headersSent) response.writeContinue();
    });
}

/** Serves a request with kit, without the framework. */
function serveDirectly(service: ServerService, request: IncomingMessage, response: ServerResponse): void {
  receiveBody(service, request, request.url!, (body) => {
    if (body !== undefined) service.handle(new DirectExchange(request, response, request.url!, body));
  });
}

/**
 * Responds with an error and calls no handler, because the framework's middleware might have refused the
 * request if the framework had received it.
 */
function refuseDirectly(service: ServerService, request: IncomingMessage, response: ServerResponse): void {
  receiveBody(service, request, request.url!, (body) => {
    if (body !== undefined)
      service.refuseUnseen?.(new DirectExchange(request, response, request.url!, body), undefined);
  });
}
