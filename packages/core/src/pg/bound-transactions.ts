import type { Client, Pool } from "./driver.ts";
import { hasEnded, type OpenTransaction } from "./open-transaction.ts";

/** Part of a transaction that one context uses: the whole transaction, or the part after a savepoint. */
export interface TransactionScope {
  readonly open: OpenTransaction;
  /** Scope of the context from which this scope was opened, perhaps of another pool. */
  readonly parent: TransactionScope | undefined;
  isEnded: boolean;
}

/** Scopes by the signal of their context. `cancellable` receives nothing else of a context. */
const scopes = new WeakMap<AbortSignal, TransactionScope>();

/** Pools by their views of `cancellable`. */
const poolsOfViews = new WeakMap<object, Pool>();

/** Binds a scope to the signal of a context, so that `cancellable` with this signal uses the transaction. */
export function bindScope(signal: AbortSignal, scope: TransactionScope): void {
  scopes.set(signal, scope);
}

/** Ends the effect of {@link bindScope}. */
export function unbindScope(signal: AbortSignal): void {
  scopes.delete(signal);
}

/** Returns the innermost scope that is bound to a signal, of any pool. */
export function scopeOf(signal: AbortSignal): TransactionScope | undefined {
  return scopes.get(signal);
}

/** Returns the scope of a transaction on this pool that is bound to a signal. */
export function findScope(pool: Pool, signal: AbortSignal): TransactionScope | undefined {
  let scope = scopes.get(signal);
  while (scope !== undefined && scope.open.pool !== pool) scope = scope.parent;
  return scope;
}

/** Returns a connection of a scope, as a pool hands it out. */
export function clientOf(scope: TransactionScope): Client {
  return scope.open.client(() => (scope.isEnded ? hasEnded() : undefined));
}

/** Remembers the pool of a view. */
export function rememberPool(view: object, pool: Pool): void {
  poolsOfViews.set(view, pool);
}

/** Returns the pool of a view, or the argument if it is a pool. */
export function basePool(pool: object): Pool {
  return poolsOfViews.get(pool) ?? (pool as Pool);
}
