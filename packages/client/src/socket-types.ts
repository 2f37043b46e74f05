import type { Codec, NamedCodecs } from "./codec.ts";
import type { Address } from "./request.ts";

/** Close code and reason of a WebSocket (RFC 6455, 7.4). The code 1006 means that the connection was lost. */
export interface SocketClose {
  readonly code: number;
  readonly reason: string;
}

/**
 * Open WebSocket of a route. Iterating yields the messages of the server, until one side closes the socket.
 *
 * @example
 * ```ts
 * const room = await api.ws("/rooms/:id", { params: { id: "1" } });
 * room.send({ text: "Hello" });
 * for await (const message of room) show(message);
 * ```
 */
export interface ApiSocket<Sent, Received, Protocol = string | undefined> extends AsyncIterable<Received> {
  /** True until one side closes the socket or the connection is lost. */
  readonly isOpen: boolean;
  /** Subprotocol that the server chose. `undefined` if the call offered none. */
  readonly protocol: Protocol;
  /** Number of bytes that `send` has accepted and that are not yet sent. */
  readonly bufferedAmount: number;
  /** Resolves when the socket has closed. Never rejects. */
  readonly closed: Promise<SocketClose>;
  /**
   * Sends a message.
   *
   * @throws {ApiError} With the code `NETWORK_ERROR` if the socket is closed.
   */
  send(message: Sent): void;
  /** Closes the socket. `code` is 1000, which is the default, or a code from 3000 to 4999. */
  close(code?: number, reason?: string): void;
}

/** Route with a WebSocket, as a client sees it. `.kit/client/index.ts` declares one for each such route. */
export interface ApiSocketRoute<Input extends object, Sent, Received, Protocol = undefined> {
  /** Params, query, headers, cookies and subprotocols of the handshake. */
  readonly input: Input;
  /** Messages that the client sends. */
  readonly sent: Sent;
  /** Messages that the client receives. */
  readonly received: Received;
  /** Subprotocol that the server chooses. `undefined` for none. */
  readonly protocol: Protocol;
}

/** Kind of a message: `json` and `text` are text messages, `bytes` are binary messages. */
export type MessageKind = "json" | "text" | "bytes";

/** Kinds of the messages of a WebSocket: `in` for those that the client sends, `out` for those that the server sends. */
export interface MessageKinds {
  readonly in: readonly MessageKind[];
  readonly out: readonly MessageKind[];
}

/** Input of a WebSocket. */
export type SocketCall = Address & {
  headers?: Readonly<Record<string, unknown>>;
  cookies?: Readonly<Record<string, unknown>>;
  /** Subprotocols that the client offers, the preferred one first. */
  protocols?: readonly string[];
  /** Kinds of messages. Only for clients without generated code, which do not know the kinds of a contract. */
  messages?: MessageKinds;
  /** Signal that closes the socket. */
  signal?: AbortSignal;
  /**
   * Milliseconds until the call fails with `TIMEOUT` if the server does not answer the handshake. 0 disables the timeout. Default
   * {@link SocketClient.timeoutMs}.
   */
  timeoutMs?: number;
};

/** Options of a client that its WebSockets use. */
export interface SocketClient {
  readonly baseUrl: string | URL;
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Milliseconds until a handshake without an answer fails with `TIMEOUT`. 0 disables the timeout. Default 30,000. */
  readonly timeoutMs?: number;
  readonly codecs?: {
    readonly types: NamedCodecs;
    /** Codecs of received messages, by `WS /path`. */
    readonly sockets?: {
      readonly messages: { readonly [route: string]: Codec };
      /** Kinds of messages, for routes that do not have only JSON. */
      readonly kinds?: { readonly [route: string]: MessageKinds };
    };
  };
}

/** Function that opens a WebSocket. `@kit/client/sockets` exports it. */
export type OpenSocket = (
  options: SocketClient,
  path: string,
  call?: SocketCall,
) => Promise<ApiSocket<unknown, unknown>>;
