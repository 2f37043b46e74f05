/** SQL states of failures after which the same transaction may succeed: serialization failure and deadlock. */
const conflicts: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

/**
 * Returns true if PostgreSQL rolled a transaction back because of another transaction: a serialization failure (`40001`)
 * or a deadlock (`40P01`). The same transaction may succeed later. Looks at the causes of the error too, because drizzle
 * wraps the errors of `pg`.
 *
 * @param error - Error of a query or of {@link transaction}.
 * @example
 * ```ts
 * if (isTransactionConflict(error)) return ctx.fail(409, "TRY_AGAIN", "Another request changed the same rows");
 * ```
 */
export function isTransactionConflict(error: unknown): boolean {
  let current = error as { code?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; depth < 10 && typeof current === "object" && current !== null; depth++) {
    if (conflicts.has(current.code)) return true;
    current = current.cause as typeof current;
  }
  return false;
}
