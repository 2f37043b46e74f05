import { MAX_DEPTH } from "./depth.ts";

/**
 * Returns true if no two items of an array are equal as JSON values. Objects are compared by their properties in any
 * order, and `1` and `"1"` differ. If an item is nested deeper than {@link MAX_DEPTH}, the result is false, because the
 * item cannot be compared.
 *
 * @example
 * ```ts
 * hasUniqueItems([1, "1"]); // true
 * hasUniqueItems([{ a: 1, b: 2 }, { b: 2, a: 1 }]); // false
 * ```
 */
export function hasUniqueItems(items: readonly unknown[]): boolean {
  if (items.length < 2) return true;
  const seen = new Set<unknown>();
  for (const item of items) {
    const key = isComparable(item) ? item : canonical(item, 0);
    if (key === undefined || seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

/**
 * Returns true if a `Set` compares the value as JSON does. Strings are excluded, because a string could equal the
 * canonical string of an object.
 */
function isComparable(item: unknown): boolean {
  return typeof item === "number" || typeof item === "boolean" || item === null || typeof item === "bigint";
}

/** Returns a string that is the same for all equal values. `undefined` if a value is nested too deep. */
function canonical(value: unknown, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (value instanceof Uint8Array) return `bytes ${value.join()}`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const array = Array.isArray(value);
  const parts: string[] = [];
  for (const key of array ? value.keys() : Object.keys(value).toSorted()) {
    const item = canonical((value as Record<string | number, unknown>)[key], depth + 1);
    if (item === undefined) return undefined;
    parts.push(array ? item : `${JSON.stringify(key)}:${item}`);
  }
  return array ? `[${parts.join()}]` : `{${parts.join()}}`;
}
