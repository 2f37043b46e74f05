/**
 * Returns lists of scopes as a text. A caller needs all scopes of one list.
 *
 * @example
 * ```ts
 * scopesText([["orders:read", "orders:write"], ["admin"]]); // "orders:read and orders:write, or admin"
 * ```
 */
export function scopesText(lists: readonly (readonly string[])[]): string {
  return lists.map((scopes) => scopes.join(" and ")).join(", or ");
}

/** Returns the scopes that the caller of a refused request lacks. Returns `undefined` if the details have no such lists. */
export function missingScopesOf(details: Readonly<Record<string, unknown>>): string | undefined {
  const lists = details["missingScopes"];
  const isList = Array.isArray(lists) && lists.every((scopes) => Array.isArray(scopes));
  return isList ? scopesText(lists as string[][]) : undefined;
}
