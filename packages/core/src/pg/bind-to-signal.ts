import { requestCancel } from "./cancel-request.ts";
import type { Client, Pool } from "./driver.ts";
import { callbackOf, refuse, textOf } from "./given-query.ts";

/**
 * Cancels the queries of a connection when a signal aborts, until the connection is returned to the pool.
 * After the abort, the current query is cancelled, and only `ROLLBACK` is sent. When the connection is
 * returned, only `query` must be restored, because the pool sets `release` each time it hands out a
 * connection.
 */
export function bindToSignal(client: Client, pool: Pool, signal: AbortSignal): void {
  const { release } = client;
  // An instance has its own `query` if an observer wrapped the method. Otherwise the method comes from the class.
  const own = Object.getOwnPropertyDescriptor(client, "query");
  const { query } = client;
  let cancelled: Promise<void> | undefined;
  let isReleased = false;

  const onAbort = (): void => {
    cancelled = requestCancel(client, pool);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  // A connection that breaks between two queries emits an error, which would end the process. The next query fails.
  client.on("error", ignore);

  client.query = (...given) => {
    if (cancelled === undefined) return query.apply(client, given);
    if (!isRollback(given[0])) return refuse(client, given, signal.reason);
    // The rollback waits for the cancel request, which could otherwise cancel the rollback.
    return sendAfter(cancelled, client, query, given);
  };

  client.release = (failure) => {
    // As `pg` does. After an abort, its error would be an unhandled rejection, which ends the process.
    if (isReleased) throw new Error("Release called on client which has already been released to the pool.");
    isReleased = true;
    signal.removeEventListener("abort", onAbort);
    client.off("error", ignore);
    if (own === undefined) delete (client as { query?: unknown }).query;
    else Object.defineProperty(client, "query", own);
    if (cancelled === undefined) return release(failure);
    // Until PostgreSQL has accepted the cancel request, it could cancel a query of the connection's next user.
    void cancelled.then(() => release(failure ?? (isBetweenTransactions(client) ? undefined : true)));
  };
}

function ignore(): void {}

function isBetweenTransactions(client: Client): boolean {
  return client.getTransactionStatus?.() === "I";
}

const rollback = /^\s*rollback\b/i;

function isRollback(query: unknown): boolean {
  return rollback.test(textOf(query) ?? "");
}

function sendAfter(
  before: Promise<void>,
  client: Client,
  query: Client["query"],
  given: readonly unknown[],
): unknown {
  const sent = before.then(() =>
    callbackOf(given) ? void query.apply(client, [...given]) : query.apply(client, [...given]),
  );
  return callbackOf(given) === undefined ? sent : undefined;
}
