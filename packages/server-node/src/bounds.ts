import type { ServerOptions } from "node:http";

import { type LingerLimits, standardLinger } from "./linger.ts";
import type { CheckedTimeouts } from "./timeouts.ts";

/** What a host takes, apart from bodies. */
export interface HostBounds {
  /** Bytes of request line and headers together. */
  readonly headBytes: number;
  /** Header lines. */
  readonly headerFields: number;
  /** Bytes of the request target. */
  readonly targetBytes: number;
  /** Open connections; further ones are closed at once. Nothing: as many as the system takes. */
  readonly connections?: number;
  /** Connections that wait to be accepted; nothing: Node's standard. */
  readonly backlog?: number;
  readonly linger: LingerLimits;
}

/** Those of kit's own server. */
export const standardBounds: HostBounds = {
  headBytes: 16 * 1024,
  headerFields: 100,
  targetBytes: 8 * 1024,
  linger: standardLinger,
};

/** With what a server is made for a framework: timeouts are kept to the second, and heads are bounded. */
export const serverOptions: ServerOptions = {
  connectionsCheckingInterval: 1000,
  maxHeaderSize: standardBounds.headBytes,
};

/** With what a server of the host's own is made; the shorter its timeouts, the more exactly they are kept. */
export function serverOptionsFor(
  { headersTimeout }: CheckedTimeouts,
  { headBytes }: HostBounds,
): ServerOptions {
  return {
    connectionsCheckingInterval: Math.min(Math.max(Math.ceil(headersTimeout / 4), 10), 1000),
    maxHeaderSize: headBytes,
  };
}
