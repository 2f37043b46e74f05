import { hash } from "node:crypto";

import type { NodeRedisClient, ValkeyClient } from "@kit/types";

import type { LimitStore } from "./limit-store.ts";

/** Options of {@link valkeyLimits}. */
export interface ValkeyLimitOptions {
  /** Beginning of all names in Valkey. Default `kit:limits:`. */
  readonly prefix?: string;
}

/**
 * Counts a request and begins a window if there is none. The time to live is set in the same script, so that every
 * count expires, even if the client of Valkey stops between two commands.
 */
const script = `
local count = redis.call("INCR", KEYS[1])
local left = redis.call("PTTL", KEYS[1])
if left < 0 then
  redis.call("PEXPIRE", KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }`;

/** Name of the script in Valkey. A command with the name has a third of the bytes of a command with the script. */
const scriptHash = hash("sha1", script);

/**
 * Creates a store that counts in Valkey or Redis (2.6 or newer), so that all processes and machines share the limits.
 *
 * @param client - Client of `iovalkey`, `ioredis` or `redis`. Set its timeouts, so that commands do not wait for ever.
 * @example
 * ```ts
 * const client = new Valkey({ maxRetriesPerRequest: 1, commandTimeout: 500, enableOfflineQueue: false });
 * export const limited = rateLimit({ limit: "100/min", store: valkeyLimits(client) });
 * ```
 */
export function valkeyLimits(
  client: ValkeyClient | NodeRedisClient,
  { prefix = "kit:limits:" }: ValkeyLimitOptions = {},
): LimitStore {
  const send = async (...command: readonly [string, ...string[]]): Promise<unknown> =>
    // A client of ioredis has a function `sendCommand` too, with another argument.
    "call" in client ? client.call(...command) : client.sendCommand([...command]);
  return {
    async count(key, windowMs) {
      const parameters = ["1", `${prefix}${windowMs}:${key}`, String(windowMs)] as const;
      let answer: unknown;
      try {
        answer = await send("EVALSHA", scriptHash, ...parameters);
      } catch (error) {
        // A server that has started again, or has another role now, does not know the script.
        if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
        answer = await send("EVAL", script, ...parameters);
      }
      const [count, resetMs] = (Array.isArray(answer) ? answer : []) as unknown[];
      if (typeof count === "number" && typeof resetMs === "number") return { count, resetMs };
      throw new TypeError("The store of rate limits gave an answer that is not a count");
    },
  };
}
