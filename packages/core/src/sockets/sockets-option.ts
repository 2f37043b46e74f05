import { isMilliseconds, longestTimeoutMs } from "../app/milliseconds.ts";
import { suggestName } from "../app/suggestion.ts";

/** Options of all WebSockets of an application. */
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

const known: Readonly<Record<keyof SocketsOptions, true>> = { pingMs: true, compression: true };

/**
 * Reads the option `sockets`.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readSockets(given: SocketsOptions = {}): ReadSockets {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError("createApp: `sockets` must be an object such as { pingMs: 20_000 }");
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(
      `createApp: there is no option \`sockets.${name}\`${suggestName(name, Object.keys(known))}`,
    );
  }
  const { pingMs = 30_000, compression = false } = given;
  if (pingMs === 0 || !isMilliseconds(pingMs)) {
    throw new TypeError(
      `createApp: \`sockets.pingMs\` must be a whole number of milliseconds from 1 to ${longestTimeoutMs}, not ${String(pingMs)}`,
    );
  }
  if (typeof compression !== "boolean") {
    throw new TypeError("createApp: `sockets.compression` must be true or false");
  }
  return { pingMs, compression };
}
