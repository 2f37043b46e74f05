/** Options of the WebSockets of an application or of a route. */
export interface SocketsOptions {
  /**
   * Milliseconds without a frame of the client after which the server sends a ping. After as many milliseconds without an
   * answer, the connection ends. Default 30,000. Choose less than the idle timeout of a proxy in front of the server.
   */
  readonly pingMs?: number;
  /**
   * True to compress messages of at least 1 KiB if the client offers it (RFC 7692). Default false: an attacker who can
   * choose a part of a message may guess secrets in the same message from its length.
   */
  readonly compression?: boolean;
}

/** Validated {@link SocketsOptions}. */
export type ReadSockets = Required<SocketsOptions>;
