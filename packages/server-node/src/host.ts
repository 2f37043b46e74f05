import { lookup } from "node:dns/promises";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";

import type { CloseOptions, ListenAddress, ListenOptions, ServerService } from "@kit/types";

import { bodyOf } from "./body-of.ts";
import { isForKitAlone, originForm, refusalOf } from "./guard.ts";
import { addressOf, listenError } from "./listen-error.ts";
import {
  badRequest,
  expectationFailed,
  headersTooLarge,
  isEnding,
  notImplemented,
  type Refusal,
  refuseConnection,
  refuseRequest,
  requestTimeout,
  unknownVersion,
} from "./refusal.ts";
import { ResponseExchange } from "./response-exchange.ts";

/** How long a server waits for clients, in milliseconds. */
export interface HttpTimeouts {
  /** Between two requests on one connection; default 72,000. */
  readonly keepAliveTimeoutMs?: number;
  /** From the first byte of a request to the end of its headers; default 10,000. */
  readonly headersTimeoutMs?: number;
  /** From the first byte of a request to the end of its body; default 300,000. */
  readonly requestTimeoutMs?: number;
}

/** With what a server is made whose timeouts are kept to the second. */
export const serverOptions: ServerOptions = { connectionsCheckingInterval: 1000 };

/** What is called with requests. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** The last answer that was begun on a connection. */
const latest: unique symbol = Symbol("latest answer");
type TrackedSocket = Socket & { [latest]?: ServerResponse };

/** Properties that Node reads for every connection and does not declare. */
interface Undeclared {
  requireHostHeader: boolean;
  joinDuplicateHeaders: boolean;
}

const idleCheckMs = 50;

/**
 * A server of node:http under an adapter, from its start to its end: what Node's parser lets through and kit's own
 * server does not is refused before any framework sees it.
 */
export class NodeHost {
  readonly #server: Server;
  readonly #service: ServerService;
  readonly #isUnfit: (request: IncomingMessage) => boolean;
  readonly #sockets = new Set<TrackedSocket>();
  #closing = false;

  /** Takes over a server that does not listen yet. Its listeners for requests are called for what passes. */
  constructor(
    server: Server,
    service: ServerService,
    timeouts: CheckedTimeouts,
    /** Further requests that the framework cannot do with. */
    isUnfit: (request: IncomingMessage) => boolean = () => false,
  ) {
    this.#server = server;
    this.#isUnfit = isUnfit;
    this.#service = service;
    Object.assign(server, timeouts);
    // A missing host is refused here, with a body. Repeated fields are joined, so that none of them is overlooked.
    const undeclared: Undeclared = { requireHostHeader: false, joinDuplicateHeaders: true };
    Object.assign(server, undeclared);
    const listeners = server.listeners("request") as RequestListener[];
    server.removeAllListeners("request").removeAllListeners("clientError");
    server.on("request", (request, response) => this.#receive(request, response, listeners));
    server.on("checkContinue", (request, response) => {
      // A body that is too large is not asked for.
      if (!(Number(request.headers["content-length"]) > service.limits.bodyBytes)) response.writeContinue();
      server.emit("request", request, response);
    });
    server.on("checkExpectation", (_request, response) => refuseRequest(response, expectationFailed));
    server.on("connect", (_request, socket) =>
      refuseConnection(socket, notImplemented("this server is no proxy")),
    );
    server.on("clientError", refuseUnreadable);
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** A server of its own, whose requests a framework is called with. */
  static of(
    listener: RequestListener,
    service: ServerService,
    timeouts: CheckedTimeouts,
    isUnfit?: (request: IncomingMessage) => boolean,
  ): NodeHost {
    return new NodeHost(createServer(serverOptions, listener), service, timeouts, isUnfit);
  }

  /** Starts; rejects with a clear error where that is not possible. */
  async listen(
    { port, host, path }: ListenOptions,
    start: (port: number, host: string | undefined) => Promise<unknown> = (...at) => this.#bind(...at),
  ): Promise<ListenAddress> {
    if (path !== undefined) {
      throw new TypeError(
        `Cannot listen on ${path}: this adapter takes a port; Unix sockets are the native server's`,
      );
    }
    try {
      // One address: a name may have several, and a framework would make a server for each.
      const address = host === undefined ? undefined : (await lookup(host)).address;
      await start(port, address);
      return addressOf(this.#server);
    } catch (error) {
      throw listenError(error, port, host);
    }
  }

  /** Stops accepting, waits for answers under way, and cuts what takes longer. */
  async close({ graceMs }: CloseOptions, stop: () => Promise<unknown> = () => this.#unbind()): Promise<void> {
    this.#closing = true;
    const server = this.#server;
    // What is answered from now on is the last answer of its connection.
    for (const { [latest]: response } of this.#sockets) {
      if (response !== undefined && !response.headersSent) response.shouldKeepAlive = false;
    }
    const sweep = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    try {
      await stop();
    } finally {
      clearInterval(sweep);
      clearTimeout(cut);
    }
  }

  #bind(port: number, host: string | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject).listen(port, host, () => {
      this.#server.off("error", reject);
      resolve();
    });
    return promise;
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
    request.url = originForm(request.url!);
    const refusal = refusalOf(request);
    if (refusal !== undefined) refuseRequest(response, refusal);
    else if (isForKitAlone(request.url) || this.#isUnfit(request))
      serveDirectly(this.#service, request, response);
    else for (const listener of listeners) listener.call(this.#server, request, response);
  }
}

/** Answers a request with kit and nothing else. */
export function serveDirectly(
  service: ServerService,
  request: IncomingMessage,
  response: ServerResponse,
  target: string = request.url!,
): void {
  bodyOf(request, service.limits.bodyBytes, (body) => {
    if (body !== undefined) service.handle(new ResponseExchange(request, response, target, body));
  });
}

/** Timeouts as Node's servers have them. */
export interface CheckedTimeouts {
  readonly keepAliveTimeout: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
}

/** Reads an adapter's options. */
export function checkTimeouts(adapter: string, options: HttpTimeouts): CheckedTimeouts {
  const read = (name: keyof HttpTimeouts, standard: number): number => {
    const value = options[name] ?? standard;
    if (!Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1) {
      throw new RangeError(
        `${adapter}: \`${name}\` must be a whole number of milliseconds, not ${String(value)}`,
      );
    }
    return value;
  };
  const headersTimeout = read("headersTimeoutMs", 10_000);
  return {
    keepAliveTimeout: read("keepAliveTimeoutMs", 72_000),
    headersTimeout,
    // The one includes the other.
    requestTimeout: Math.max(read("requestTimeoutMs", 300_000), headersTimeout),
  };
}

/** Bytes that Node's parser could make nothing of. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: TrackedSocket): void {
  const response = socket[latest];
  if (isEnding(socket) || error.code === "ECONNRESET") {
    if (!isEnding(socket)) socket.destroy();
  } else if (response === undefined || response.writableFinished) {
    refuseConnection(socket, refusalFor(error));
  } else if (response.req.complete) {
    // They come after a request that is not answered yet: its answer is first.
    response.once("finish", () => refuseConnection(socket, refusalFor(error)));
  } else if (response.headersSent) {
    socket.destroy();
  } else {
    refuseRequest(response, refusalFor(error));
  }
}

function refusalFor(error: NodeJS.ErrnoException): Refusal {
  switch (error.code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return requestTimeout;
    case "HPE_HEADER_OVERFLOW":
      return headersTooLarge;
    case "HPE_INVALID_VERSION":
      return unknownVersion;
    default:
      return badRequest("the request is not valid HTTP");
  }
}
