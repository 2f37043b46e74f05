/**
 * Idempotency keys for kit: a wrapper that executes a request only once, however often a client repeats it.
 *
 * @module
 */
export { idempotencyTableSql } from "./answer-table.ts";
export type { CallerKey } from "./caller-key.ts";
export { idempotent, type IdempotentOptions } from "./idempotent.ts";
