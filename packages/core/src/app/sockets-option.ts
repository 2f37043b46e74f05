import type { ReadSockets, SocketsOptions } from "../sockets/sockets-options.ts";
import { isMilliseconds, longestTimeoutMs } from "./milliseconds.ts";
import { suggestName } from "./suggestion.ts";

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
