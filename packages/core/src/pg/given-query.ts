import type { Client } from "./driver.ts";

/** Callback of a query of the package `pg`. */
export type Callback = (error: unknown, result?: unknown) => void;

/** Returns the SQL of the arguments of `query`. `undefined` for an object that sends its SQL itself, such as a cursor. */
export function textOf(query: unknown): string | undefined {
  const text = typeof query === "string" ? query : (query as { text?: unknown } | null)?.text;
  return typeof text === "string" ? text : undefined;
}

/** Returns the callback of the arguments of `query`. */
export function callbackOf(given: readonly unknown[]): Callback | undefined {
  const last = given.at(-1);
  return typeof last === "function" ? (last as Callback) : undefined;
}

/** Returns true for a cursor, a row stream, or another object that sends its query itself. */
export function isSubmittable(query: unknown): boolean {
  return typeof (query as { submit?: unknown } | null)?.submit === "function";
}

/** Fails a query in the form that its caller expects: a callback, a promise, or an event. */
export function refuse(client: Client, given: readonly unknown[], reason: unknown): unknown {
  const [query] = given as [{ handleError?: (error: unknown, wire: unknown) => void }];
  const callback = callbackOf(given);
  if (callback !== undefined) {
    process.nextTick(callback, reason);
    return undefined;
  }
  if (!isSubmittable(query)) return Promise.reject(reason);
  // A cursor or a row stream notifies its listeners itself.
  process.nextTick(() => query.handleError?.(reason, client.connection));
  return query;
}
