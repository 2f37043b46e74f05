import type { ReadSockets, SocketsOptions } from "../sockets/sockets-options.ts";
import { isMilliseconds, longestTimeoutMs } from "./milliseconds.ts";
import { suggestName } from "./suggestion.ts";

const known: Readonly<Record<keyof SocketsOptions, true>> = { pingMs: true, compression: true };

/** Options of an application without the option `sockets`. */
const defaults: ReadSockets = { pingMs: 30_000, compression: false };

/**
 * Reads the option `sockets` of an application.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readSockets(given: SocketsOptions = {}): ReadSockets {
  return { ...defaults, ...checkSockets(given, "sockets") };
}

/**
 * Returns the given options, checked. Options that are `undefined` are left out. `location` is the place of the options for
 * messages.
 *
 * @throws {TypeError} If an option is invalid. The message names the problem.
 */
export function checkSockets(given: SocketsOptions, location: string): SocketsOptions {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError(`createApp: \`${location}\` must be an object such as { pingMs: 20_000 }`);
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(
      `createApp: there is no option \`${location}.${name}\`${suggestName(name, Object.keys(known))}`,
    );
  }
  const { pingMs, compression } = given;
  if (pingMs !== undefined && (pingMs === 0 || !isMilliseconds(pingMs))) {
    throw new TypeError(
      `createApp: \`${location}.pingMs\` must be a whole number of milliseconds from 1 to ${longestTimeoutMs}, not ${String(pingMs)}`,
    );
  }
  if (compression !== undefined && typeof compression !== "boolean") {
    throw new TypeError(`createApp: \`${location}.compression\` must be true or false`);
  }
  return { ...(pingMs !== undefined && { pingMs }), ...(compression !== undefined && { compression }) };
}
