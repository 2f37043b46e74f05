/**
 * Rate limits for kit: middleware that limits how often a client may call routes.
 *
 * @module
 */
export type { LimitKey } from "./limit-key.ts";
export type { LimitText } from "./limit-text.ts";
export { memoryLimits, type MemoryLimitOptions } from "./memory-limits.ts";
export type { LimitCount, LimitStore } from "./limit-store.ts";
export {
  type LimitPool,
  limitTableSql,
  postgresLimits,
  type PostgresLimitOptions,
} from "./postgres-limits.ts";
export { rateLimit, type RateLimitOptions } from "./rate-limit.ts";
export { valkeyLimits, type ValkeyLimitOptions } from "./valkey-limits.ts";
export type { NodeRedisClient, ValkeyClient } from "@kit/types";
