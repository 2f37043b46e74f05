import { vocabularyOf } from "./scopes.ts";

/** Roles of an application, each with its scopes. {@link defineRoles} creates it. */
export interface Roles<TScope extends string> {
  /** Scopes of all roles, for the option `scopes` of a middleware. */
  readonly scopes: readonly TScope[];
  /**
   * Returns the scopes of a caller's roles. Ignores names that are not roles, because another application may define
   * them.
   *
   * @param roles - Name of a role, or a list of names. Claims and columns have no reliable type, so any other value means no role.
   */
  scopesOf(this: void, roles: unknown): readonly TScope[];
}

/**
 * Defines roles. Contracts name scopes instead of roles, so you can change a role without a change of contracts.
 *
 * @throws {TypeError} If a name is not a scope of OAuth 2.0.
 *
 * @example
 * ```ts
 * const roles = defineRoles({
 *   clerk: ["orders:read"],
 *   manager: ["orders:read", "orders:write"],
 * });
 * export const requireAuth = jwt({
 *   ...provider,
 *   scopes: roles.scopes,
 *   scopesOf: (claims) => roles.scopesOf(claims["roles"]),
 * });
 * ```
 */
export function defineRoles<const TScope extends string>(
  roles: Readonly<Record<string, readonly TScope[]>>,
): Roles<TScope> {
  const scopesByRole = new Map<unknown, ReadonlySet<TScope>>();
  for (const [role, scopes] of Object.entries(roles)) {
    scopesByRole.set(role, vocabularyOf(`defineRoles: the role ${JSON.stringify(role)}`, scopes));
  }
  const union = (names: Iterable<unknown>): readonly TScope[] => {
    const found = new Set<TScope>();
    for (const name of names) for (const scope of scopesByRole.get(name) ?? []) found.add(scope);
    return [...found];
  };
  return {
    scopes: union(scopesByRole.keys()),
    scopesOf: (names) => union(Array.isArray(names) ? (names as unknown[]) : [names]),
  };
}
