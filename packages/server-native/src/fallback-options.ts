import type { CheckedTimeouts, HostLimits } from "@kit/server-node";

import type { EngineOptions } from "./options.ts";

/**
 * Returns the timeouts for node:http. If an option is absent, the native server's default applies. The counterpart is
 * `crates/kit-http/src/config.rs`.
 */
export function timeoutsOf({ timeouts }: EngineOptions): CheckedTimeouts {
  return {
    keepAliveTimeout: timeouts["idle"] ?? 72_000,
    headersTimeout: timeouts["head"] ?? 10_000,
    requestTimeout: 0,
    bodyTimeout: timeouts["body"] ?? 300_000,
    ...(timeouts["bodyIdle"] !== undefined && { bodyIdleTimeout: timeouts["bodyIdle"] }),
    ...(timeouts["bodyRate"] !== undefined && { bodyRate: timeouts["bodyRate"] }),
    writeTimeout: timeouts["write"] ?? 60_000,
  };
}

/** Returns the limits for node:http. If an option is absent, the native server's default applies. */
export function limitsOf({ limits, timeouts, backlog = 4096 }: EngineOptions): HostLimits {
  return {
    headBytes: limits["headBytes"] ?? 16 * 1024,
    headerFields: limits["headerFields"] ?? 100,
    targetBytes: limits["targetBytes"] ?? 8 * 1024,
    connections: limits["connections"] ?? 100_000,
    backlog,
    discard: {
      bytes: limits["discardedBytes"] ?? 64 * 1024 * 1024,
      connections: limits["discarding"] ?? 256,
      byteMs: timeouts["discard"] ?? 5000,
      totalMs: timeouts["discardTotal"] ?? 30_000,
    },
  };
}
