/**
 * Transactions, and cancellation of queries with their request, for the package `pg`, and for drizzle and Kysely on top of it. Exported
 * as `@kit/core/pg`.
 *
 * @module
 */
export { cancellable, type CancellablePool } from "./cancellable.ts";
export { isTransactionConflict } from "./conflict.ts";
export {
  requestTransaction,
  transaction,
  type TransactionContext,
  type TransactionOptions,
} from "./transaction.ts";
export type { Isolation } from "./open-transaction.ts";
