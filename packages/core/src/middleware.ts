/**
 * Middleware: functions that run before validation and handler, may refuse the request by throwing, and may add
 * properties to `ctx`.
 *
 * @module
 */
import type { RawResponse } from "./request/raw-response.ts";
import type { RequestContext, RequestHeaders } from "./request/request-context.ts";

/** What a middleware is given. */
export interface MiddlewareInput {
  /** Request headers by lower-case name. */
  readonly headers: RequestHeaders;
  /** The request's context, with what earlier middleware added. */
  readonly ctx: RequestContext;
  /** The request's method in upper case. */
  readonly method: string;
  /** The request's path as it was sent, without the query. */
  readonly path: string;
  /** Path parameters by name, percent-decoded, not yet validated. */
  readonly params: Readonly<Record<string, string>>;
}

/** Members that no object of added properties has: those of `ctx`, and those of answers, lists and streams. */
type NotAdded =
  | keyof RequestContext
  | (keyof RawResponse & "onlyHandlersReturnThis")
  | typeof Symbol.iterator
  | typeof Symbol.asyncIterator;

/**
 * What middleware may return: an object of properties for `ctx`. Answers (`ctx.send(…)`, a `Response`) are not of this type, since only handlers
 * answer, and neither are lists, texts and streams.
 */
export type AddedProperties = object & { readonly [TName in NotAdded]?: never };

/** A middleware that adds `TAdded` to `ctx`; `void` adds nothing. */
export type Middleware<TAdded extends AddedProperties | void = void> = (
  input: MiddlewareInput,
) => TAdded | Promise<TAdded>;

/** Any middleware, as the runtime sees it. */
export type AnyMiddleware = (
  input: MiddlewareInput,
) => AddedProperties | void | Promise<AddedProperties | void>;

/** A middleware with its name and its place in the chain. */
export interface MiddlewareEntry<TMiddleware extends AnyMiddleware = AnyMiddleware> {
  /** Names it in phases, spans, error answers and `kit inspect middleware`. */
  readonly name: string;
  /** The function. */
  readonly middleware: TMiddleware;
  /** Lower runs earlier. At equal priority global middleware comes first, then the order of registration. */
  readonly priority: number;
}

/** What the `middleware` options list: entries, or bare middleware, which have priority 0. */
export type MiddlewareItem = MiddlewareEntry | AnyMiddleware;

/**
 * Types a middleware by what it adds to `ctx`. It returns the object of added properties, or nothing if it adds none,
 * or throws to refuse the request. It cannot answer: `ctx.send(…)` and every other value that is no plain object is an error of the types, and
 * at run time 500. The function is returned as it is.
 *
 * @example
 * ```ts
 * export const requireAuth = defineMiddleware<{ userId: string }>(({ headers, ctx }) => {
 *   const token = headers["authorization"];
 *   if (token === undefined) return ctx.fail(401, "UNAUTHORIZED", "The authorization header is missing");
 *   return { userId: verify(token) };
 * });
 * ```
 */
export function defineMiddleware<TAdded extends AddedProperties | void = void>(
  middleware: Middleware<TAdded>,
): Middleware<TAdded> {
  return middleware;
}
