import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import type { CloseOptions, ListenAddress, ListenOptions, ServerService } from "@kit/types";

import { applyAuthority, authorityOf } from "./authority.ts";
import { bodyOf } from "./body-of.ts";
import { type HostBounds, serverOptionsFor, standardBounds } from "./bounds.ts";
import { DirectExchange } from "./direct-exchange.ts";
import { originForm, refusalOf } from "./guard.ts";
import { watchHalfClosed } from "./half-closed.ts";
import { isEnding, Lingering } from "./linger.ts";
import { addressOf, listenError } from "./listen-error.ts";
import { type Framework, passageOf } from "./passage.ts";
import { badRequest, expectationFailed, notImplemented } from "./refusal.ts";
import { latest, Refuser, type TrackedSocket } from "./refuser.ts";
import { removeStaleSocket } from "./stale-socket.ts";
import { StalledReaders } from "./stalled-readers.ts";
import type { CheckedTimeouts } from "./timeouts.ts";

/** What is called with requests. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Where a host binds: an address whose name was looked up, or a Unix socket. */
export type BindAddress =
  | { readonly port: number; readonly host?: string; readonly path?: undefined; readonly reusePort?: true }
  | { readonly path: string }
  | { readonly fd: number; readonly path?: undefined };

/** Where a server listens, and whether other processes do so too. */
export interface NodeListenOptions extends ListenOptions {
  readonly sharePort?: boolean;
}

/** Properties that Node reads for every connection and does not declare. */
interface Undeclared {
  requireHostHeader: boolean;
  joinDuplicateHeaders: boolean;
  keepAliveTimeoutBuffer: number;
  httpAllowHalfOpen: boolean;
}

const idleCheckMs = 50;
/** How long a client that has connected may take to say what for: long enough on a busy machine. */
const settleMs = 2_000;

/**
 * A server of node:http under an adapter, from its start to its end: what Node's parser lets through and kit's own
 * server does not is refused before any framework sees it.
 */
export class NodeHost {
  readonly #server: Server;
  readonly #service: ServerService;
  readonly #bounds: HostBounds;
  readonly #bodyTimeout: number | undefined;
  readonly #framework: Framework | undefined;
  readonly #refuser: Refuser;
  readonly #sockets = new Set<TrackedSocket>();
  readonly #stalled: StalledReaders;
  #closing = false;
  /** Whether other processes have the listening socket too. */
  #isShared = false;

  /** Takes over a server that does not listen yet. Its listeners for requests are called for what passes. */
  constructor(
    server: Server,
    service: ServerService,
    { bodyTimeout, writeTimeout, ...timeouts }: CheckedTimeouts,
    /** Framework that the server's listeners belong to; without a framework kit answers all requests. */
    framework: Framework | undefined,
    bounds: HostBounds = standardBounds,
  ) {
    this.#server = server;
    this.#framework = framework;
    this.#service = service;
    this.#bounds = bounds;
    this.#bodyTimeout = bodyTimeout;
    this.#stalled = new StalledReaders(this.#sockets, writeTimeout);
    const lingering = new Lingering(bounds.linger);
    this.#refuser = new Refuser((refusal) => service.refused?.(refusal), lingering);
    // One more than are taken, so that it shows: Node drops the rest without a word.
    Object.assign(server, timeouts, { maxHeadersCount: bounds.headerFields + 1 });
    if (bounds.connections !== undefined) server.maxConnections = bounds.connections;
    // A missing host is refused here, with a body. Repeated fields are joined, so that none of them is overlooked. A
    // connection is kept as long as it is said to be, and not a second longer. A client that closes its sending side waits for the
    // answer to what it has sent; Node would close the other side too, and the answer would be lost.
    const undeclared: Undeclared = {
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      keepAliveTimeoutBuffer: 0,
      httpAllowHalfOpen: true,
    };
    Object.assign(server, undeclared);
    const listeners = server.listeners("request") as RequestListener[];
    server.removeAllListeners("request").removeAllListeners("clientError");
    server.on("request", (request, response) => this.#receive(request, response, listeners));
    server.on("checkContinue", (request, response) => {
      // A body that is too large is not asked for.
      if (!(Number(request.headers["content-length"]) > service.limits.bodyBytes)) continueInTurn(response);
      server.emit("request", request, response);
    });
    server.on("checkExpectation", (_request, response) => this.#refuser.request(response, expectationFailed));
    server.on("connect", (_request, socket) =>
      this.#refuser.connection(socket, notImplemented("this server is no proxy")),
    );
    server.on("clientError", (error, socket) => this.#refuser.unreadable(error, socket as TrackedSocket));
    server.on("drop", () =>
      service.refused?.({
        code: "CONNECTION_LIMIT",
        message: "as many connections are open as are allowed; further ones are closed",
      }),
    );
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      lingering.adopt(socket);
      // Node remembers it from now on; of a client that has left it could not be asked.
      void socket.remoteAddress;
      socket
        .once("end", () => isAnswering(socket) && watchHalfClosed(socket))
        .once("close", () => this.#sockets.delete(socket));
    });
  }

  /** A server of its own, whose requests a framework is called with; without one kit answers all of them itself. */
  static of(
    listener: RequestListener | undefined,
    service: ServerService,
    timeouts: CheckedTimeouts,
    framework: Framework | undefined = listener && {},
    bounds: HostBounds = standardBounds,
  ): NodeHost {
    const serve = listener ?? ((request, response) => serveDirectly(service, request, response));
    const server = createServer(serverOptionsFor(timeouts, bounds), serve);
    return new NodeHost(server, service, timeouts, framework, bounds);
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Starts; rejects with a clear error where that is not possible. */
  async listen(
    where: NodeListenOptions,
    start: (address: BindAddress) => Promise<unknown> = (address) => this.#bind(address),
  ): Promise<ListenAddress> {
    const { port, host, path, fd } = where;
    try {
      this.#isShared = fd !== undefined;
      if (fd !== undefined) await start({ fd });
      else if (path !== undefined) {
        await removeStaleSocket(path);
        await start({ path });
      } else {
        // One address: a name may have several, and a framework would make a server for each.
        const shared = where.sharePort === true ? ({ reusePort: true } as const) : {};
        await start({ port, ...(host !== undefined && { host: (await lookup(host)).address }), ...shared });
      }
    } catch (error) {
      throw listenError(error, where);
    }
    this.#stalled.start();
    return addressOf(this.#server);
  }

  /** Stops accepting, waits for answers under way, and cuts what takes longer. */
  async close({ graceMs }: CloseOptions, stop: () => Promise<unknown> = () => this.#unbind()): Promise<void> {
    const server = this.#server;
    this.#closing = true;
    const left = this.#isShared ? await this.#leave() : undefined;
    await inboxRead();
    // What is answered from now on is the last answer of its connection.
    for (const { [latest]: response } of this.#sockets) {
      if (response !== undefined && !response.headersSent) response.shouldKeepAlive = false;
    }
    const sweep = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, graceMs);
    try {
      await stop();
      await left?.ended;
    } finally {
      clearInterval(sweep);
      clearTimeout(cut);
      this.#stalled.stop();
    }
  }

  #bind(address: BindAddress): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { backlog } = this.#bounds;
    const options = { ...address, ...(backlog !== undefined && { backlog }) };
    this.#server.once("error", reject).listen(options, () => {
      this.#server.off("error", reject);
      resolve();
    });
    return promise;
  }

  /**
   * Stops accepting, and waits until whoever has connected has said what for: it could as well have met the next process, and must not
   * learn that it was this one. Answers end their connections meanwhile.
   */
  async #leave(): Promise<{ ended: Promise<void> }> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // That of node:http would close idle connections as well, those that are about to send their first request included.
    NetServer.prototype.close.call(this.#server, () => resolve());
    const end = performance.now() + settleMs;
    await inboxRead();
    while (this.#closeUsed() && performance.now() < end) await sleep(idleCheckMs);
    return { ended: promise };
  }

  /** Closes connections between two requests. Answers whether there are some before their first, which node:http takes for idle too. */
  #closeUsed(): boolean {
    const silent = [...this.#sockets].filter((socket) => socket[latest] === undefined);
    for (const socket of silent) socket.destroy = () => socket;
    this.#server.closeIdleConnections();
    for (const socket of silent) Reflect.deleteProperty(socket, "destroy");
    return silent.length > 0;
  }

  #unbind(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // An error says that it does not listen; then it is closed too.
    this.#server.close(() => resolve());
    return promise;
  }

  #receive(request: IncomingMessage, response: ServerResponse, listeners: readonly RequestListener[]): void {
    const socket = request.socket as TrackedSocket;
    if (isEnding(socket)) return;
    socket[latest] = response;
    if (this.#closing) response.shouldKeepAlive = false;
    const authority = authorityOf(request.url!);
    request.url = originForm(request.url!);
    let refusal = refusalOf(request, this.#bounds);
    if (refusal === undefined && authority !== undefined) refusal = applyAuthority(request, authority);
    if (refusal !== undefined) {
      this.#refuser.request(response, refusal);
      return;
    }
    if (this.#bodyTimeout !== undefined) this.#awaitBody(request, response, this.#bodyTimeout);
    // `OPTIONS *` asks about the server as a whole: the answer names methods, and no handler runs. Frameworks have no such path.
    if (request.url === "*") {
      serveDirectly(this.#service, request, response);
      return;
    }
    const passage = passageOf(request, this.#framework);
    if (passage === "framework") {
      for (const listener of listeners) listener.call(this.#server, request, response);
    } else if (passage === "kit") {
      serveDirectly(this.#service, request, response);
    } else if (passage === "error" && this.#service.refuse !== undefined) {
      refuseDirectly(this.#service, request, response);
    } else {
      const isRefusal = typeof passage === "object";
      this.#refuser.request(response, isRefusal ? passage : badRequest("the request cannot be routed"));
    }
  }

  /** Refuses a request whose body does not come in time. */
  #awaitBody(request: IncomingMessage, response: ServerResponse, milliseconds: number): void {
    const { "content-length": length, "transfer-encoding": coding } = request.headers;
    if (coding === undefined && (length === undefined || length === "0")) return;
    const timer = setTimeout(() => {
      if (request.complete) return;
      const error = Object.assign(new Error("the body took too long"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
      this.#refuser.unreadable(error, request.socket as TrackedSocket);
    }, milliseconds);
    const clear = (): void => clearTimeout(timer);
    request.once("end", clear);
    // A request that is answered before its end does not always say that it is over.
    response.once("close", clear);
  }
}

/** Tells if the last answer of a connection is not written yet. */
function isAnswering(socket: TrackedSocket): boolean {
  return !socket.destroyed && socket[latest]?.writableFinished === false;
}

/**
 * Waits until the server has read what the system had received: one turn of the event loop accepts connections, the next reads what
 * they sent. A connection that only seems idle would be cut with its request.
 */
async function inboxRead(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((next) => setImmediate(next));
}

/**
 * Asks for a body, not before the answers to earlier requests of the connection are written. Node would keep the line until then, and
 * write it behind the head of an answer that is there by that time: a client would take the line for the beginning of the body.
 */
function continueInTurn(response: ServerResponse): void {
  if (response.socket !== null) response.writeContinue();
  else
    response.once("socket", () => {
      if (!response.headersSent) response.writeContinue();
    });
}

/** Answers a request that no framework sees. */
function serveDirectly(service: ServerService, request: IncomingMessage, response: ServerResponse): void {
  bodyOf(request, service.limits.bodyBytes, (body) => {
    if (body !== undefined) service.handle(new DirectExchange(request, response, request.url!, body));
  });
}

/** Answers a request that no framework sees with an error: middleware of the framework may have been meant to stop it. */
function refuseDirectly(service: ServerService, request: IncomingMessage, response: ServerResponse): void {
  bodyOf(request, service.limits.bodyBytes, (body) => {
    if (body !== undefined)
      service.refuse?.(new DirectExchange(request, response, request.url!, body), undefined);
  });
}
