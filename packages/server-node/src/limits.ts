import type { ServerOptions } from "node:http";

import { type DiscardLimits, defaultDiscardLimits } from "./discard.ts";
import type { CheckedTimeouts } from "./timeouts.ts";

/** Limits of a node:http server, except the size of request bodies. */
export interface HostLimits {
  /** Maximum size of the request line and the headers together, in bytes. */
  readonly headBytes: number;
  /** Maximum number of header lines. */
  readonly headerFields: number;
  /** Maximum length of the request target, in bytes. */
  readonly targetBytes: number;
  /**
   * Maximum number of open connections. Further connections are closed immediately. If absent, the value of
   * the server's property `maxConnections` applies, and without this property 100,000.
   */
  readonly connections?: number;
  /** Maximum number of connections that wait to be accepted. If absent, Node's default applies. */
  readonly backlog?: number;
  readonly discard: DiscardLimits;
}

/** Default limits, equal to the limits of the native server. */
export const defaultLimits: HostLimits = {
  headBytes: 16 * 1024,
  headerFields: 100,
  targetBytes: 8 * 1024,
  discard: defaultDiscardLimits,
};

/** Options for a server that a framework creates. Timeouts are checked every second, and the size of request heads is limited. */
export const serverOptions: ServerOptions = {
  connectionsCheckingInterval: 1000,
  maxHeaderSize: defaultLimits.headBytes,
};

/** Returns the options for a server that kit creates itself. If a timeout is short, timeouts are checked more often. */
export function serverOptionsFor(
  { headersTimeout }: CheckedTimeouts,
  { headBytes }: HostLimits,
): ServerOptions {
  return {
    connectionsCheckingInterval: Math.min(Math.max(Math.ceil(headersTimeout / 4), 10), 1000),
    maxHeaderSize: headBytes,
  };
}
