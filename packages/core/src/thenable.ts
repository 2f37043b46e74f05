/**
 * Returns true for a promise and for other objects with a `then` method. Query builders are such objects, and handlers
 * may return them.
 */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
