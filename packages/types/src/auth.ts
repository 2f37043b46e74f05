/**
 * Authenticated caller of a request, as authentication middleware adds `ctx.auth`. `TScope` is the union of the scopes
 * that the middleware knows. An `Auth` of more scopes can be used as an `Auth` of fewer scopes, but not the reverse.
 *
 * @example
 * ```ts
 * declare const known: Auth<"orders:read" | "orders:write">;
 * const required: Auth<"orders:write"> = known;
 * ```
 */
export interface Auth<in TScope extends string> {
  /** Returns true if the caller has the scope. */
  readonly has: (scope: TScope) => boolean;
}
