import { requestCancel } from "./cancel-request.ts";
import type { Client, Pool } from "./driver.ts";

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

  const onAbort = (): void => {
    cancelled = requestCancel(client, pool);
  };
  signal.addEventListener("abort", onAbort, { once: true });

  client.query = (...given) => {
    if (cancelled === undefined) return query.apply(client, given);
    if (!isRollback(given[0])) return refuse(client, given, signal.reason);
    // The rollback waits for the cancel request, which could otherwise cancel the rollback.
    return sendAfter(cancelled, client, query, given);
  };

  client.release = (failure) => {
    signal.removeEventListener("abort", onAbort);
    if (own === undefined) delete (client as { query?: unknown }).query;
    else Object.defineProperty(client, "query", own);
    if (cancelled === undefined) return release(failure);
    // Until PostgreSQL has accepted the cancel request, it could cancel a query of the connection's next user.
    void cancelled.then(() => release(failure ?? (isBetweenTransactions(client) ? undefined : true)));
  };
}

function isBetweenTransactions(client: Client): boolean {
  return client.getTransactionStatus?.() === "I";
}

const rollback = /^\s*rollback\b/i;

function isRollback(query: unknown): boolean {
  const text = typeof query === "string" ? query : (query as { text?: unknown } | null)?.text;
  return typeof text === "string" && rollback.test(text);
}

type Callback = (error: unknown, result?: unknown) => void;

/** Fails a query in the form that its caller expects: a callback, a promise, or an event. */
function refuse(client: Client, given: readonly unknown[], reason: unknown): unknown {
  const [query] = given as [{ submit?: unknown; handleError?: (error: unknown, wire: unknown) => void }];
  const callback = callbackOf(given);
  if (callback !== undefined) {
    process.nextTick(callback, reason);
    return undefined;
  }
  if (typeof query?.submit !== "function") return Promise.reject(reason);
  // A cursor or a row stream notifies its listeners itself.
  process.nextTick(() => query.handleError?.(reason, client.connection));
  return query;
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

function callbackOf(given: readonly unknown[]): Callback | undefined {
  const last = given.at(-1);
  return typeof last === "function" ? (last as Callback) : undefined;
}
