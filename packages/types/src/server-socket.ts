/** Options of a WebSocket that the service accepts. See `ServerExchange.acceptSocket`. */
export interface SocketOptions {
  /** Maximum size of a message from the client in bytes, after decompression. A larger message closes the socket with 1009. */
  readonly messageBytes: number;
  /** True if the adapter may agree to compress messages (permessage-deflate, RFC 7692). */
  readonly compression: boolean;
  /**
   * Milliseconds without a frame from the client after which the adapter sends a ping. After as many milliseconds without a
   * frame that follows the ping, the adapter closes the connection with the code 1006.
   */
  readonly pingMs: number;
  /** Subprotocol that the response names: one of the subprotocols that the client offers. `null` for none. */
  readonly protocol: string | null;
  /** Further headers of the response with the status 101: name, value, name, value. */
  readonly headers: readonly string[] | null;
}

/**
 * Events of a {@link ServerSocket}. The adapter never calls these functions during a call of the socket's methods, and not
 * before `ServerExchange.acceptSocket` has returned.
 */
export interface SocketEvents {
  /**
   * Called for each complete message: a string for text, which is valid UTF-8, or the bytes of a binary message, which belong
   * to the callee. After {@link ServerSocket.pause}, messages that the adapter has already read may still follow: about 64 KiB,
   * or one larger message.
   */
  message(data: string | Uint8Array): void;
  /** Called when the client has received enough of the waiting bytes, after a `send` that returned `false`. */
  drain(): void;
  /**
   * Called once, as the last event, when the connection has ended. `code` is the code of the client's close frame, the code
   * with which the server closed because of a violation of the protocol (1002, 1007, 1009), 1005 for a close frame
   * without a code, or 1006 if the connection ended without a close frame.
   */
  closed(code: number, reason: string): void;
}

/** WebSocket of one client (RFC 6455). The adapter responds to pings and to close frames by itself. */
export interface ServerSocket {
  /**
   * Sends a text message or a binary message. Returns `false` if enough bytes are waiting for the client. A message that is
   * sent before the next {@link SocketEvents.drain} is still accepted. Does nothing if the socket is closing or closed.
   */
  send(data: string | Uint8Array): boolean;
  /**
   * Sends a close frame after all messages, then waits up to 5 seconds for the client's close frame and ends the
   * connection. `reason` has at most 123 bytes in UTF-8. Has no effect if the socket is closing or closed.
   */
  close(code: number, reason: string): void;
  /** Ends the connection at once, without a close frame. The adapter then calls {@link SocketEvents.closed}. */
  terminate(): void;
  /** Stops reading from the client, so that the rest of its messages waits at the client. */
  pause(): void;
  /** Continues reading. */
  resume(): void;
}
