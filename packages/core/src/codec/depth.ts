/**
 * Maximum depth of a value: the number of recursive types on the path to a nested value, and the nesting of arrays and
 * objects within an `unknown`. A deeper value is invalid. `JSON.parse` accepts 10,000 levels, but recursive functions
 * such as `JSON.stringify` fail on them.
 */
export const MAX_DEPTH = 256;

/**
 * Maximum number of times that the check of one value may enter a recursive type. If members of a recursive
 * union overlap, each level may be tried once per member, which takes exponential time without this limit.
 */
export const MAX_ENTRIES = 1_000_000;

/** Number of recursive types that the current check entered. Checks are synchronous, so one counter is sufficient. */
let entries = 0;

/**
 * Returns true if the check may enter a recursive type at this depth. The outermost type has the depth 0.
 *
 * @example
 * ```ts
 * enter(0); // true
 * enter(MAX_DEPTH); // false
 * ```
 */
export function enter(depth: number): boolean {
  entries = depth === 0 ? 1 : entries + 1;
  return depth < MAX_DEPTH && entries <= MAX_ENTRIES;
}

/**
 * Returns true if a JSON value is valid for `unknown`: present, and with at most {@link MAX_DEPTH} levels of arrays and
 * objects.
 *
 * @example
 * ```ts
 * isUnknown({ tags: [null] }); // true
 * isUnknown(undefined); // false
 * ```
 */
export function isUnknown(value: unknown): boolean {
  return value !== undefined && isWithin(value, MAX_DEPTH);
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const part of parts) {
    if (typeof part === "object" && part !== null && !isWithin(part, levels - 1)) return false;
  }
  return true;
}
