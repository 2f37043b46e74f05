import { type AppError, ForbiddenError, UnauthorizedError } from "@kit/errors";
import type { Auth, CompiledScopes } from "@kit/types";

import { withoutStack } from "../errors/without-stack.ts";
import type { AnyMiddleware } from "./middleware.ts";

/** Name of the step in phases and spans. */
export const scopesStep = "scopes";

/**
 * Returns the step of a chain that refuses callers without the scopes that the contract requires. Middleware before this
 * step adds `ctx.auth`. A wrapper between this middleware and the step also runs for callers without the scopes. The
 * compiler decides the place of the step: before the first wrapper after all middleware that may add `ctx.auth`.
 */
export function requireScopes(ref: string, { anyOf, isBearer }: CompiledScopes): AnyMiddleware {
  const message = `The caller needs ${anyOf.map(inWords).join(", or ")}`;
  const challenge = `Bearer error="insufficient_scope", scope="${anyOf[0]!.join(" ")}"`;
  return ({ ctx }) => {
    const { auth } = ctx as { readonly auth?: Auth<string> | null };
    if (auth === undefined || auth === null) {
      if (isBearer) ctx.header("www-authenticate", "Bearer");
      throw withoutStack(() => new UnauthorizedError("UNAUTHORIZED", "The caller is not authenticated"));
    }
    if (anyOf.some((scopes) => scopes.every((scope) => hasScope(ref, auth, scope)))) return;
    if (isBearer) ctx.header("www-authenticate", challenge);
    const missingScopes = anyOf.map((scopes) => scopes.filter((scope) => !hasScope(ref, auth, scope)));
    throw withoutStack((): AppError => new ForbiddenError("INSUFFICIENT_SCOPE", message, { missingScopes }));
  };
}

/** Asks `ctx.auth` for one scope. Only `true` grants the scope: a promise, for example, is not an answer. */
function hasScope(ref: string, auth: Auth<string>, scope: string): boolean {
  const answer: unknown = typeof auth.has === "function" ? auth.has(scope) : undefined;
  if (typeof answer === "boolean") return answer;
  throw new TypeError(
    `${ref} requires the scope ${scope}, but \`ctx.auth.has("${scope}")\` is not a boolean. A middleware of the route must add \`auth\` with the type \`Auth<"${scope}">\``,
  );
}

function inWords(scopes: readonly string[]): string {
  return scopes.length === 1 ? `the scope ${scopes[0]}` : `the scopes ${scopes.join(" and ")}`;
}
