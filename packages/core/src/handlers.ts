/**
 * Handlers and their types: what a contract promises is what a handler is given and must return.
 *
 * @module
 */
import type { RouteContract } from "@kit/types";

import type { RawResponse } from "./request/raw-response.ts";
import type { RequestContext } from "./request/request-context.ts";

/** Any contract. */
export type AnyContract = RouteContract<unknown, unknown, unknown, unknown>;

/** An interface whose keys are route keys and whose members are contracts. */
export type ContractGroup<TRoutes> = { readonly [TKey in keyof TRoutes]: AnyContract };

/** Whether a slot of a contract is left out. `undefined` and `never` are no `void`. */
type IsVoid<T> = [T] extends [void] ? ([void] extends [T] ? true : false) : false;

type SlotName = "params" | "query" | "body";

/**
 * What the handler of a contract is given: `params`, `query` and `body` where the contract has them, and `ctx` with what
 * middleware added. `query` is always an object; where nothing was sent its optional members are absent.
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
  /** The request's context. */
  readonly ctx: RequestContext & TAdded;
};

/**
 * A function that serves one contract. It returns the response, or what `ctx.send` made in its place, or a promise of it; errors are thrown.
 */
export type Handler<TContract extends AnyContract, TAdded extends object = {}> = (
  input: HandlerInput<TContract, TAdded>,
) => TContract["response"] | RawResponse | Promise<TContract["response"] | RawResponse>;

/** A handler for each key of a contract group. */
export type Handlers<TRoutes extends ContractGroup<TRoutes>, TAdded extends object = {}> = {
  readonly [TKey in keyof TRoutes]: Handler<TRoutes[TKey], TAdded>;
};

/** Any handler map, as the runtime sees it. */
export type AnyHandlers = Readonly<Record<string, (input: never) => unknown>>;

/**
 * Types a map of handlers by its contract group. Every key of the group needs a handler; the map is returned as it is.
 *
 * The second type argument says what middleware adds to `ctx`; `createApp` does not type-check with a group whose
 * middleware does not add it.
 *
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
