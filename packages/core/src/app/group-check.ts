/**
 * Types that hold a route group's handlers against its middleware: a handler may read from `ctx` only what some middleware
 * of its chain adds.
 */
import type { RequestContext } from "../request/request-context.ts";
import type { AppOptions, LoggingOptions, RouteGroup } from "./options.ts";

/** What the function of an item resolves to. */
type ResultOf<TItem> = TItem extends { readonly middleware: (input: never) => infer TResult }
  ? Awaited<TResult>
  : TItem extends (input: never) => infer TResult
    ? Awaited<TResult>
    : never;

/** What is added for certain; what is added only sometimes is optional. */
type AddedBy<TResult> = [Exclude<TResult, void | undefined>] extends [never]
  ? {}
  : [TResult] extends [object]
    ? TResult
    : Partial<Exclude<TResult, void | undefined>>;

/** What all items of a union of items add together. */
type AddedByAll<TItem> = (TItem extends unknown ? (added: AddedBy<ResultOf<TItem>>) => void : never) extends (
  added: infer TAdded,
) => void
  ? TAdded
  : {};

/** `true` where some item's type does not tell what it adds, as that of an annotated `MiddlewareEntry` does not. */
type HidesSomething<TItem> = TItem extends unknown
  ? [object] extends [ResultOf<TItem>]
    ? true
    : never
  : never;

type ItemIn<TList> = TList extends readonly (infer TItem)[] ? TItem : never;
type OwnItem<TGroup> = TGroup extends { readonly middleware?: infer TList } ? ItemIn<TList> : never;

/** Names of what some handler expects on `ctx` beside what is always there, and `TContext` does not have with that type. */
type Unmet<THandlers, TContext> = {
  [TKey in keyof THandlers]: THandlers[TKey] extends (input: infer TInput) => unknown
    ? TInput extends { readonly ctx: infer TNeeded }
      ? UnmetName<TNeeded, TContext, Exclude<keyof TNeeded, keyof RequestContext>>
      : never
    : never;
}[keyof THandlers];
type UnmetName<TNeeded, TContext, TName extends keyof TNeeded> = TName extends unknown
  ? TContext extends Pick<TNeeded, TName>
    ? never
    : TName
  : never;

/** What a group is required to be where its middleware falls short: the names of its members are the checker's message. */
export type NotAddedByMiddleware<TName extends string> = {
  readonly [
    TMissing in TName as `ctx.${TMissing} is read by a handler and added by no middleware of the group`
  ]: never;
};

type CheckedGroup<TGroup, TItem> = TGroup extends { readonly handlers: infer THandlers }
  ? [HidesSomething<TItem>] extends [never]
    ? [Unmet<THandlers, RequestContext & AddedByAll<TItem>>] extends [never]
      ? unknown
      : NotAddedByMiddleware<Extract<Unmet<THandlers, RequestContext & AddedByAll<TItem>>, string>>
    : unknown
  : unknown;

/** Groups, each held against its own and the global middleware. */
type CheckedGroups<TGroups, TGlobalItem> = {
  readonly [TIndex in keyof TGroups]: CheckedGroup<TGroups[TIndex], TGlobalItem | OwnItem<TGroups[TIndex]>>;
};

/** Names in a type that another one does not have; `never` if it has all of them. */
type UnknownName<TGiven, TKnown> = TGiven extends object ? Exclude<keyof TGiven, keyof TKnown> : never;
type OptionOf<TOptions, TName extends string> = TOptions extends { readonly [TKey in TName]?: infer TValue }
  ? TValue
  : never;
type UnknownNames<TOptions> =
  | UnknownName<TOptions, AppOptions>
  | UnknownName<OptionOf<TOptions, "logging">, LoggingOptions>
  | UnknownName<ItemIn<OptionOf<TOptions, "routes">>, RouteGroup>;

/**
 * What `createApp` takes: the given options, with groups whose middleware adds what their handlers read. Options with an unknown name are
 * held against {@link AppOptions} itself, so that the type checker names it and suggests the one that was meant.
 */
export type CheckedOptions<TOptions extends AppOptions> = [UnknownNames<TOptions>] extends [never]
  ? TOptions & { readonly routes: CheckedGroups<TOptions["routes"], ItemIn<TOptions["middleware"]>> }
  : AppOptions;
