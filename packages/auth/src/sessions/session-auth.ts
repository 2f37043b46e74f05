import { type BaseContext, defineMiddleware, type Middleware } from "@kit/core";
import type { Auth } from "@kit/types";

import { refuse } from "../refusals.ts";
import { GrantedScopes, vocabularyOf } from "../scopes.ts";
import { convertResult } from "../value-or-promise.ts";
import { type Found, readerOf, type Session, type Sessions } from "./sessions.ts";

/** Caller of a request with a session. */
export interface SessionAuth<TScope extends string = never, TData = unknown>
  extends Auth<TScope>, Session<TData> {
  /** Scopes of the session that the middleware knows. */
  readonly scopes: readonly TScope[];
}

/**
 * Creates middleware that accepts only requests with a session, and adds it as `ctx.auth`.
 *
 * @param sessions - Sessions of the application, from `createSessions`.
 * @security cookie {cookie=__Host-session}
 * @throws UNAUTHORIZED 401 The request has no session, or the session has ended.
 * @throws SERVICE_UNAVAILABLE 503 The store of the sessions cannot be reached.
 * @example
 * ```ts
 * export const requireSession = sessionAuth(sessions);
 * ```
 */
export function sessionAuth<TScope extends string, TData>(
  sessions: Sessions<TScope, TData>,
): Middleware<{ auth: SessionAuth<TScope, TData> }> {
  const read = reader(sessions);
  return defineMiddleware<{ auth: SessionAuth<TScope, TData> }>(({ ctx }) =>
    convertResult(read(ctx), (session) => ({
      auth: session ?? refuse(ctx, "Cookie", "UNAUTHORIZED", "There is no session"),
    })),
  );
}

/**
 * Creates middleware like {@link sessionAuth} that also accepts requests without a session. Then `ctx.auth` is `null`.
 *
 * @param sessions - Sessions of the application, from `createSessions`.
 * @throws SERVICE_UNAVAILABLE 503 The store of the sessions cannot be reached.
 * @example
 * ```ts
 * export const readSession = optionalSession(sessions);
 * ```
 */
export function optionalSession<TScope extends string, TData>(
  sessions: Sessions<TScope, TData>,
): Middleware<{ auth: SessionAuth<TScope, TData> | null }> {
  const read = reader(sessions);
  return defineMiddleware<{ auth: SessionAuth<TScope, TData> | null }>(({ ctx }) =>
    convertResult(read(ctx), (auth) => ({ auth })),
  );
}

function reader<TScope extends string, TData>(
  sessions: Sessions<TScope, TData>,
): (ctx: BaseContext) => Found<SessionAuth<TScope, TData>> {
  const { scopes: known, scopesOf } = sessions.options;
  const vocabulary = vocabularyOf("createSessions: `scopes`", known);
  const read = readerOf(sessions);
  const withScopes = (session: Session<TData> | null): Found<SessionAuth<TScope, TData>> => {
    if (session === null) return null;
    const { subject, data, createdAt, expiresAt } = session;
    return convertResult(scopesOf?.(session) ?? [], (granted) => {
      const { scopes, has } = new GrantedScopes(granted, vocabulary);
      return { subject, data, createdAt, expiresAt, scopes, has };
    });
  };
  return (ctx) => convertResult(read(ctx), withScopes);
}
