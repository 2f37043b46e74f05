import type { Server } from "node:http";

import { defaultLimits, type HostLimits } from "./limits.ts";
import { type CheckedTimeouts, checkTimeouts, type HttpTimeouts, timeoutNames } from "./timeouts.ts";

/** Options of every adapter on node:http. */
export interface HttpServerOptions extends HttpTimeouts {
  /**
   * Maximum number of open connections. Further connections are closed immediately, and the log reports this.
   * Default 100,000.
   */
  readonly maxConnections?: number;
}

/** Options of adapters whose frameworks have no HTTP server of their own. */
export interface AttachableOptions extends HttpServerOptions {
  /**
   * Function that gets the HTTP server before it listens, with TLS the server of node:https. Libraries such as socket.io attach their own
   * listeners of `request` and `upgrade` to the server. Their requests do not reach the framework.
   */
  readonly onServer?: (server: Server) => void;
}

/** Validated options of an adapter. */
export interface CheckedOptions {
  readonly timeouts: CheckedTimeouts;
  readonly limits: HostLimits;
}

/** Highest valid value of `maxConnections`, equal to the value of the native server. */
const maxMaxConnections = 2 ** 20;

/**
 * Validates the options of an adapter and applies the defaults. Options in `others`, such as the application of the framework, are only
 * known and not validated.
 *
 * @param adapter - Name of the function that received the options, for messages.
 * @param options - Options that the application has passed.
 * @param others - Names of further options of the adapter.
 * @example
 * ```ts
 * const { timeouts, limits } = checkOptions("expressServer", { app, maxConnections: 10_000 });
 * const host = NodeHost.of(app, service, timeouts, framework, limits);
 * ```
 * @throws {TypeError} if an option does not exist. The message names the option.
 * @throws {RangeError} if the value of an option is invalid. The message names the option and its valid values.
 */
export function checkOptions(
  adapter: string,
  options: HttpServerOptions & { app?: unknown },
  others: readonly string[] = ["app"],
): CheckedOptions {
  const known: readonly string[] = [...others, ...timeoutNames, "maxConnections"];
  for (const name of Object.keys(options)) {
    if (!known.includes(name))
      throw new TypeError(`${adapter}: unknown option \`${name}\`; valid options are ${known.join(", ")}`);
  }
  const { maxConnections } = options;
  if (
    maxConnections !== undefined &&
    !(Number.isInteger(maxConnections) && maxConnections >= 1 && maxConnections <= maxMaxConnections)
  ) {
    throw new RangeError(
      `${adapter}: \`maxConnections\` must be a whole number from 1 to ${maxMaxConnections}, not ${String(maxConnections)}`,
    );
  }
  return {
    timeouts: checkTimeouts(adapter, options),
    limits: { ...defaultLimits, ...(maxConnections !== undefined && { connections: maxConnections }) },
  };
}
