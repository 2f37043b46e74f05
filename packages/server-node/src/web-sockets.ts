/** WebSockets of servers on node:http. The library `ws` reads and writes the frames. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

import type { ServerExchange, ServerService, ServerSocket, SocketEvents, SocketOptions } from "@kit/types";
import type { ServerOptions, WebSocket, WebSocketServer } from "ws";

import { http } from "./http-module.ts";
import { checkResponse, codedError } from "./response-check.ts";

/** Bytes that wait for a client from which on the sender should wait, as for streamed responses. */
const greatestWaiting = 64 * 1024;
/** Milliseconds that the server waits for the close frame of a client. */
const closeTimeoutMs = 5000;

/**
 * Fragments of a message that every client may send. Each fragment needs memory of its own, and can keep the whole chunk in memory
 * in which it arrived.
 */
const fewestFragments = 1024;
/** Bytes of a message that allow one more fragment. */
const bytesOfFragment = 256;

/** Close codes for violations of the protocol that `ws` reports by the code of an error. All others have the code 1002. */
const codesOfViolations: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: 1009,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 1008,
};

/** Handshake of a client, which the service may accept. */
interface Upgrade {
  readonly socket: Socket;
  readonly servers: WebSocketServers;
  /** Refuses the client, which has sent bytes together with its handshake. `undefined` for all other clients. */
  readonly refuse: (() => void) | undefined;
}

/**
 * Parameters of compression (RFC 7692, 7.1), as of the native server: no connection stores a window, which would need more
 * than 200 KiB, and short messages are not compressed.
 */
const withoutContexts = {
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  threshold: 1024,
};

const upgrades = new WeakMap<IncomingMessage, Upgrade>();
/** Connections that have become WebSockets. */
const accepted = new WeakSet<Duplex>();

/** Returns true if the connection has become a WebSocket, so that it is no longer a connection of HTTP. */
export function isWebSocket(socket: Duplex): boolean {
  return accepted.has(socket);
}

/** Returns true if a request is a handshake of a WebSocket (RFC 6455, 4.2.1). The service checks its other headers. */
export function isHandshake({ method, headers, httpVersion }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    httpVersion === "1.1" &&
    // A client may offer several protocols (RFC 9110, 7.8).
    headers.upgrade?.split(",").some((protocol) => protocol.trim().toLowerCase() === "websocket") === true &&
    headers["transfer-encoding"] === undefined &&
    (headers["content-length"] === undefined || headers["content-length"] === "0")
  );
}

/** Servers of `ws`, one for each set of options. They own no connections. */
export class WebSocketServers {
  readonly #create: (options: SocketOptions) => WebSocketServer;
  readonly #servers = new Map<string, WebSocketServer>();

  private constructor(create: (options: SocketOptions) => WebSocketServer) {
    this.#create = create;
  }

  /** Loads `ws`. Returns `undefined` if no route of the service accepts WebSockets, so that `ws` is not loaded. */
  static async for(service: ServerService): Promise<WebSocketServers | undefined> {
    if (service.socketRoutes === undefined) return undefined;
    const { WebSocketServer } = await import("ws");
    return new WebSocketServers(({ compression, messageBytes, protocol }) => {
      // The types of `ws` do not declare these options yet.
      const options: ServerOptions & { closeTimeout: number; maxFragments: number } = {
        noServer: true,
        clientTracking: false,
        perMessageDeflate: compression && withoutContexts,
        maxPayload: messageBytes,
        maxFragments: Math.max(fewestFragments, Math.floor(messageBytes / bytesOfFragment)),
        closeTimeout: closeTimeoutMs,
        handleProtocols: () => protocol ?? false,
      };
      return new WebSocketServer(options);
    });
  }

  /**
   * Returns a response for a handshake, so that a framework can answer it like any other request. Without this response, the
   * event `upgrade` of node:http would bypass the authentication of a framework. `refuse` responds to a client that has sent
   * bytes together with its handshake.
   */
  responseTo(
    request: IncomingMessage,
    socket: Socket,
    refuse: ((response: ServerResponse) => void) | undefined,
  ): ServerResponse {
    const response = new http.ServerResponse(request);
    upgrades.set(request, { socket, servers: this, refuse: refuse && (() => refuse(response)) });
    // node:http no longer reads requests from the connection.
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    // node:http has removed its own listener, and an `error` without a listener ends the process.
    socket.on("error", () => socket.destroy());
    response.once("finish", () => socket.destroySoon());
    return response;
  }

  /** Returns the server for the options of a socket. */
  of(options: SocketOptions): WebSocketServer {
    const { compression, messageBytes, protocol } = options;
    const key = JSON.stringify([compression, messageBytes, protocol]);
    let server = this.#servers.get(key);
    if (server === undefined) this.#servers.set(key, (server = this.#create(options)));
    return server;
  }
}

/** Function that accepts a handshake. */
type AcceptSocket = NonNullable<ServerExchange["acceptSocket"]>;

/** Returns the function that accepts a handshake. `undefined` if the request is no handshake. */
export function acceptorOf(request: IncomingMessage, response: ServerResponse): AcceptSocket | undefined {
  const upgrade = upgrades.get(request);
  if (upgrade === undefined) return undefined;
  const { socket, servers, refuse } = upgrade;
  return (options, events) => {
    checkHeaders(options.headers ?? []);
    if (refuse !== undefined) {
      // The client must wait for the response (RFC 6455, 4.1). A proxy that does not know WebSockets might have taken the
      // bytes as a request of its own.
      const early = new NodeSocket(socket, options.pingMs, events);
      refuse();
      early.fail();
      return early;
    }
    const lines = [...linesOf(response), ...linesOfList(options.headers ?? [])];
    response.detachSocket(socket);
    accepted.add(socket);
    const server = servers.of(options);
    // `ws` accepts no list of protocols.
    request.headers.upgrade = "websocket";
    const adapter = new NodeSocket(socket, options.pingMs, events);
    const addHeaders = (all: string[]): void => void all.push(...lines);
    server.once("headers", addHeaders);
    try {
      // Calls the function synchronously, unless the client has disconnected.
      server.handleUpgrade(request, socket, Buffer.alloc(0), (webSocket) => adapter.attach(webSocket));
    } finally {
      server.off("headers", addHeaders);
    }
    adapter.failUnlessAttached();
    return adapter;
  };
}

/** Throws an error if a header of the handshake is invalid, or if `ws` writes the header itself. */
function checkHeaders(headers: readonly string[]): void {
  checkResponse(200, null, null, headers);
  const own = headers.find((name, index) => index % 2 === 0 && name.startsWith("sec-websocket-"));
  if (own !== undefined)
    throw codedError("ERR_INVALID_HTTP_TOKEN", `The header \`${own}\` is set by the server itself`);
}

/** Headers that `ws` writes itself, or that describe a body. */
const notCopied: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** Returns the header lines that middleware of a framework has set. */
function linesOf(response: ServerResponse): string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (notCopied.has(name) || name.startsWith("sec-websocket-") || value === undefined) continue;
    for (const one of [value].flat()) lines.push(`${name}: ${one}`);
  }
  return lines;
}

function linesOfList(headers: readonly string[]): string[] {
  const lines: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (!notCopied.has(headers[index]!)) lines.push(`${headers[index]!}: ${headers[index + 1]!}`);
  }
  return lines;
}

/** WebSocket of `ws` as an adapter passes it to the service. */
class NodeSocket implements ServerSocket {
  readonly #connection: Socket;
  readonly #pingMs: number;
  readonly #events: SocketEvents;
  #webSocket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Code of the violation for which `ws` closes the connection. */
  #violation: number | undefined;
  #isWaiting = false;
  /** Number of bytes that the client had sent when the last interval ended, and when the last ping was sent. */
  #seen = 0;
  #pinged = -1;

  constructor(connection: Socket, pingMs: number, events: SocketEvents) {
    this.#connection = connection;
    this.#pingMs = pingMs;
    this.#events = events;
  }

  attach(webSocket: WebSocket): void {
    this.#webSocket = webSocket;
    const events = this.#events;
    webSocket.on("message", (data, isBinary) => {
      const bytes = data as Buffer;
      events.message(isBinary ? bytes : bytes.toString());
    });
    webSocket.on("error", (error: NodeJS.ErrnoException) => {
      const { code = "" } = error;
      if (code.startsWith("WS_ERR_")) this.#violation = codesOfViolations[code] ?? 1002;
      // Errors of zlib, for a message that is not compressed correctly.
      else if (code.startsWith("Z_")) this.#violation = 1007;
    });
    webSocket.once("close", (code, reason) => {
      clearInterval(this.#timer);
      events.closed(this.#violation ?? code, reason.toString());
    });
    this.#timer = setInterval(() => this.#checkClient(webSocket), this.#pingMs).unref();
  }

  /** Reports the end of a connection that had ended before the handshake was accepted. */
  failUnlessAttached(): void {
    if (this.#webSocket !== undefined) return;
    this.#connection.destroy();
    this.fail();
  }

  /** Reports that the handshake was not accepted. */
  fail(): void {
    setImmediate(() => this.#events.closed(1006, ""));
  }

  send(data: string | Uint8Array): boolean {
    const webSocket = this.#webSocket;
    if (webSocket === undefined || webSocket.readyState !== webSocket.OPEN) return true;
    // Of a string, the connection would count the characters that wait, not the bytes.
    if (typeof data === "string") webSocket.send(Buffer.from(data), { binary: false }, this.#onSent);
    // The sender may change its bytes before the connection has sent them.
    else webSocket.send(Buffer.from(data), this.#onSent);
    this.#isWaiting ||= webSocket.bufferedAmount >= greatestWaiting;
    return !this.#isWaiting;
  }

  close(code: number, reason: string): void {
    this.#webSocket?.close(code, reason);
  }

  terminate(): void {
    this.#webSocket?.terminate();
  }

  pause(): void {
    // The server does not read from the client, so only the operating system notices that the client is gone.
    this.#connection.setKeepAlive(true, this.#pingMs);
    this.#webSocket?.pause();
  }

  resume(): void {
    this.#webSocket?.resume();
  }

  readonly #onSent = (): void => {
    const webSocket = this.#webSocket!;
    if (!this.#isWaiting || webSocket.bufferedAmount >= greatestWaiting) return;
    this.#isWaiting = false;
    if (webSocket.readyState === webSocket.OPEN) this.#events.drain();
  };

  /** Sends a ping if the client was silent, and ends the connection if the client does not answer. */
  #checkClient(webSocket: WebSocket): void {
    const { bytesRead } = this.#connection;
    // The server does not read from the client, so an answer could not be seen.
    if (webSocket.isPaused) this.#pinged = -1;
    else if (bytesRead !== this.#seen) this.#pinged = -1;
    else if (this.#pinged === bytesRead) webSocket.terminate();
    else {
      this.#pinged = bytesRead;
      webSocket.ping();
    }
    this.#seen = bytesRead;
  }
}
