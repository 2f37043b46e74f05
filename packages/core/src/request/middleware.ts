/**
 * Middleware: functions that run before validation and the handler. A middleware may refuse the request by throwing,
 * and may add properties to `ctx`.
 *
 * @module
 */
import type { RawResponse } from "./raw-response.ts";
import type { AnyWrapper } from "./wrapper-object.ts";
import type { RequestContext, RequestHeaders } from "./request-context.ts";

/** Input of a middleware. */
export interface MiddlewareInput {
  /** Request headers by lower-case name. */
  readonly headers: RequestHeaders;
  /** Context of the request, with the properties that earlier middleware added. */
  readonly ctx: RequestContext;
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Path of the request in the normal form, without the query. See {@link RequestContext.path}. */
  readonly path: string;
  /** Path parameters by name, percent-decoded but not validated. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Names of properties that middleware must not add: the properties of `ctx`, and properties that identify responses,
 * arrays and streams.
 */
type NotAdded =
  | keyof RequestContext
  | (keyof RawResponse & "onlyHandlersReturnThis")
  | typeof Symbol.iterator
  | typeof Symbol.asyncIterator;

/**
 * Object of properties that a middleware adds to `ctx`. Responses (`ctx.send(…)`, a `Response`) are not of this type,
 * because only handlers respond. Arrays, strings and streams are not of this type either.
 */
export type AddedProperties = object & { readonly [TName in NotAdded]?: never };

/** Middleware that adds `TAdded` to `ctx`. With `void` it adds nothing. */
export type Middleware<TAdded extends AddedProperties | void = void> = (
  input: MiddlewareInput,
) => TAdded | Promise<TAdded>;

/** Any middleware, as the runtime uses it. */
export type AnyMiddleware = (
  input: MiddlewareInput,
) => AddedProperties | void | Promise<AddedProperties | void>;

/** Middleware with its name and its priority in the chain. */
export interface MiddlewareEntry<
  TMiddleware extends AnyMiddleware | AnyWrapper = AnyMiddleware | AnyWrapper,
> {
  /** Name of the middleware in phases, spans, error responses and `kit inspect middleware`. */
  readonly name: string;
  /** Function of the middleware, or a wrapper of `defineWrapper`. */
  readonly middleware: TMiddleware;
  /**
   * Priority: lower numbers run earlier. At equal priority, global middleware runs first, then the order of
   * registration applies.
   */
  readonly priority: number;
}

/** Item of the `middleware` options: an entry, or a function or wrapper, which has the priority 0. */
export type MiddlewareItem = MiddlewareEntry | AnyMiddleware | AnyWrapper;

/**
 * Returns a middleware unchanged, and checks its type against the properties that it adds to `ctx`. The middleware
 * returns an object with these properties, returns nothing if it adds none, or throws to refuse the request. A
 * middleware cannot respond: a result of `ctx.send(…)`, and every other value that is not a plain object, is a type
 * error and a 500 response at run time.
 *
 * @param middleware - Function that receives a {@link MiddlewareInput}.
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
