/**
 * Handlers and their types. The contract of a route determines the type of the handler's input and result.
 *
 * @module
 */
import type { RouteContract } from "@kit/types";

import type { RawResponse } from "./raw-response.ts";
import type { RequestContext } from "./request-context.ts";

/** Contract of any route. */
export type AnyContract = RouteContract<unknown, unknown, unknown, unknown>;

/** Interface whose property names are route keys (`GET /notes`) and whose property types are contracts. */
export type ContractGroup<TRoutes> = { readonly [TKey in keyof TRoutes]: AnyContract };

/** True if a type is exactly `void`, so that the contract leaves it out. `undefined` and `never` are different. */
type IsVoid<T> = [T] extends [void] ? ([void] extends [T] ? true : false) : false;

type SlotName = "params" | "query" | "body";

/**
 * Input of the handler of a contract: `params`, `query` and `body` if the contract has them, and `ctx` with the
 * properties that middleware adds. `query` is always an object, without the optional properties that the client did not
 * send.
 *
 * @example
 * ```ts
 * async function getNote({ params, ctx }: HandlerInput<NoteRoutes["GET /notes/:id"], AuthContext>): Promise<Note> {
 *   ctx.log.debug("Reading a note", { id: params.id, reader: ctx.userId });
 *   return read(params.id);
 * }
 * ```
 */
export type HandlerInput<TContract extends AnyContract, TAdded extends object = {}> = {
  readonly [TSlot in SlotName as IsVoid<TContract[TSlot]> extends true ? never : TSlot]: TContract[TSlot];
} & {
  /** Context of the request. */
  readonly ctx: RequestContext & TAdded;
};

/**
 * Function that handles the requests of one contract. It returns the response that the contract declares, the result of
 * `ctx.send`, or a promise of either. It throws to send an error.
 */
export type Handler<TContract extends AnyContract, TAdded extends object = {}> = (
  input: HandlerInput<TContract, TAdded>,
) => TContract["response"] | RawResponse | Promise<TContract["response"] | RawResponse>;

/** Map with one handler for each key of a contract group. */
export type Handlers<TRoutes extends ContractGroup<TRoutes>, TAdded extends object = {}> = {
  readonly [TKey in keyof TRoutes]: Handler<TRoutes[TKey], TAdded>;
};

/** Map of handlers of any contract group. */
export type AnyHandlers = Readonly<Record<string, (input: never) => unknown>>;

/**
 * Returns a map of handlers unchanged, and checks its type against its contract group. The map needs a handler for
 * every key of the group.
 *
 * The second type argument declares the properties that middleware adds to `ctx`. A call of `createApp` does not
 * type-check if no middleware of the route group adds them.
 *
 * @param handlers - One handler for each key of the contract group.
 * @example
 * ```ts
 * export const noteHandlers = defineHandlers<NoteRoutes, AuthContext>({
 *   "GET /notes/:id": ({ params }) => read(params.id),
 *   "POST /notes": ({ body, ctx }) => create({ ...body, authorId: ctx.userId }),
 * });
 * ```
 */
export function defineHandlers<TRoutes extends ContractGroup<TRoutes>, TAdded extends object = {}>(
  handlers: Handlers<TRoutes, TAdded>,
): Handlers<TRoutes, TAdded> {
  return handlers;
}
