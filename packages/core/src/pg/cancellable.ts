import { bindToSignal } from "./bind-to-signal.ts";
import { basePool, clientOf, findScope, rememberPool } from "./bound-transactions.ts";
import type { Client, Done, Pool } from "./driver.ts";

/** Connection pool: a `Pool` of the package `pg`. */
export interface CancellablePool {
  connect: (...given: never[]) => unknown;
  query: (...given: never[]) => unknown;
}

/**
 * Returns a view of a `pg` pool that cancels its queries when the signal aborts. The view shares the pool's connections
 * and is an instance of its class, so drizzle, Kysely and plain `pool.query` accept it. Pass `ctx.signal`: without it,
 * a query of a request that was cancelled still occupies PostgreSQL and a connection, and delays other requests.
 *
 * After the abort:
 * - kit requests PostgreSQL to cancel the current query, which then fails with the SQL state `57014`;
 * - a query that waits for a connection, or requests one, fails with the signal's reason;
 * - on a connection that was taken before, only `ROLLBACK` is sent. A connection that is returned within a transaction
 *   is closed, so the transaction is never committed.
 *
 * With the signal of a context that `transaction` passes to its function, all queries run in the transaction.
 *
 * Work that must outlive its request uses the pool itself. `pg-native` cannot cancel a query: set `statement_timeout`
 * there.
 *
 * @param pool - Pool of the package `pg`.
 * @param signal - Signal that cancels the queries, such as `ctx.signal`.
 * @example
 * ```ts
 * const pool = new Pool({ connectionString, connectionTimeoutMillis: 5_000, statement_timeout: 30_000 });
 * pool.on("error", (error) => console.error(error.message));
 * const dbOf = ({ signal }: RequestContext) => drizzle(cancellable(pool, signal));
 *
 * "GET /notes": ({ ctx }) => dbOf(ctx).select().from(notes),
 * ```
 */
export function cancellable<P extends CancellablePool>(pool: P, signal: AbortSignal): P {
  const base = basePool(pool);
  const connect = (done?: Done): Promise<Client> | undefined => {
    if (done !== undefined) {
      connectWithSignal(base, signal, done);
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Client>();
    connectWithSignal(base, signal, (error, client) =>
      client === undefined ? reject(error) : resolve(client),
    );
    return promise;
  };
  // The pool's own `query` calls `this.connect`, so `query` needs no override.
  const view = Object.create(base, { connect: { value: connect } }) as P;
  rememberPool(view, base);
  return view;
}

/**
 * Takes a connection from the pool, or the connection of the transaction to which the signal belongs. Stops waiting when
 * the signal aborts.
 */
function connectWithSignal(pool: Pool, signal: AbortSignal, done: Done): void {
  if (signal.aborted) {
    process.nextTick(done, signal.reason, undefined, noop);
    return;
  }
  const scope = findScope(pool, signal);
  if (scope !== undefined) {
    process.nextTick(done, undefined, clientOf(scope), noop);
    return;
  }
  let isWaiting = true;
  const onAbort = (): void => {
    isWaiting = false;
    done(signal.reason, undefined, noop);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  pool.connect((error, client, release) => {
    signal.removeEventListener("abort", onAbort);
    if (!isWaiting) {
      // A pending `connect` cannot be cancelled, so the connection is returned to the pool as soon as it arrives.
      release();
    } else if (client === undefined) {
      done(error, undefined, release);
    } else {
      bindToSignal(client, pool, signal);
      done(undefined, client, client.release);
    }
  });
}

function noop(): void {}
