/**
 * Types that compare the handlers of a route group with its middleware: a handler may read from `ctx` only the
 * properties that middleware of its chain adds.
 */
import type { Auth } from "@kit/types";

import type { AddedProperties } from "../request/middleware.ts";
import type { RequestContext } from "../request/request-context.ts";
import type { AnyWrapper, Wrapper } from "../request/wrapper-object.ts";
import type { Adds } from "../request/wrapper.ts";
import type { AppOptions, LoggingOptions, RouteGroup, RouteOptions } from "./options.ts";

/** Type of the properties that a middleware item adds to `ctx`: the resolved result of its function. */
type MiddlewareResult<TItem> = TItem extends { readonly middleware: infer TMiddleware }
  ? ResultOf<TMiddleware>
  : ResultOf<TItem>;
type ResultOf<TMiddleware> = TMiddleware extends (input: never) => infer TResult
  ? Awaited<TResult>
  : TMiddleware extends Wrapper<infer TParts>
    ? Adds<TParts>
    : TMiddleware extends AnyWrapper
      ? object | void
      : never;

/** Properties that a middleware adds always. Properties that it adds only in some cases are optional. */
type AddedBy<TResult> = [Exclude<TResult, void | undefined>] extends [never]
  ? {}
  : [TResult] extends [object]
    ? TResult
    : Partial<Exclude<TResult, void | undefined>>;

/** Intersection of the properties that the middleware items in a union add. */
type AddedByAll<TItem> = (
  TItem extends unknown ? (added: AddedBy<MiddlewareResult<TItem>>) => void : never
) extends (added: infer TAdded) => void
  ? TAdded
  : {};

/**
 * `true` if the type of a middleware item does not specify the properties that it adds. An example is an item that is
 * annotated as `MiddlewareEntry`.
 */
type HasUnknownAdditions<TItem> = TItem extends unknown
  ? [object] extends [MiddlewareResult<TItem>]
    ? [AddedName<MiddlewareResult<TItem>>] extends [never]
      ? true
      : never
    : never
  : never;
/** Names of the properties that a middleware adds. A type with only optional properties has names, too. */
type AddedName<TResult> = Exclude<keyof Exclude<TResult, void | undefined>, keyof AddedProperties>;

type ItemIn<TList> = TList extends readonly (infer TItem)[] ? TItem : never;
type OwnItem<TGroup> = TGroup extends { readonly middleware?: infer TList } ? ItemIn<TList> : never;

/**
 * Names of the `ctx` properties that a handler expects and that `TContext` lacks or has with another type.
 * Ignores properties that `ctx` always has.
 */
type MissingProperties<THandlers, TContext> = {
  [TKey in keyof THandlers]: THandlers[TKey] extends (input: infer TInput) => unknown
    ? TInput extends { readonly ctx: infer TNeeded }
      ? MissingName<TNeeded, TContext, Exclude<keyof TNeeded, keyof RequestContext>>
      : never
    : never;
}[keyof THandlers];
type MissingName<TNeeded, TContext, TName extends keyof TNeeded> = TName extends unknown
  ? TContext extends Pick<TNeeded, TName>
    ? never
    : MissingScope<TNeeded[TName], TContext, TName>
  : never;

/**
 * Returns `scope orders:write` for each scope that a contract requires and that `ctx.auth` does not know. Returns the name
 * of any other property.
 */
type MissingScope<TNeeded, TContext, TName> = TName extends "auth"
  ? TNeeded extends Auth<infer TScope>
    ? [UnknownScope<TScope, TContext>] extends [never]
      ? TName
      : `scope ${UnknownScope<TScope, TContext>}`
    : TName
  : TName;
type UnknownScope<TScope, TContext> = Exclude<
  TScope,
  TContext extends { readonly auth: Auth<infer TKnown> } ? TKnown : never
> &
  string;

/**
 * Type that a route group must satisfy if its middleware adds too little. No group satisfies this type, so TypeScript
 * reports an error, which shows the names of the type's properties.
 */
export type NotAddedByMiddleware<TName extends string> = {
  readonly [
    TMissing in TName as TMissing extends `scope ${infer TScope}`
      ? `the scope ${TScope} is required by a contract: add a middleware with ctx.auth of the type Auth<'${TScope}'>`
      : `ctx.${TMissing} is read by a handler, but no middleware of the group adds it`
  ]: never;
};

/** Names of the `ctx` properties that handlers read and that no middleware of `TItem` adds. */
type MissingWith<THandlers, TItem> = [HasUnknownAdditions<TItem>] extends [never]
  ? MissingProperties<THandlers, RequestContext & AddedByAll<TItem>>
  : never;
type MissingInGroup<TGroup, THandlers, TItem> = TGroup extends { readonly on: infer TOn }
  ? {
      [TKey in keyof THandlers]: MissingWith<
        Pick<THandlers, TKey>,
        TItem | (TKey extends keyof TOn ? OwnItem<TOn[TKey]> : never)
      >;
    }[keyof THandlers]
  : MissingWith<THandlers, TItem>;

type CheckedHandlers<TGroup, TItem> = TGroup extends { readonly handlers: infer THandlers }
  ? [MissingInGroup<TGroup, THandlers, TItem>] extends [never]
    ? unknown
    : NotAddedByMiddleware<Extract<MissingInGroup<TGroup, THandlers, TItem>, string>>
  : unknown;
/** Refuses keys of `on` that the handlers do not have. */
type CheckedOn<TGroup> = TGroup extends { readonly on: infer TOn; readonly handlers: infer THandlers }
  ? [Exclude<keyof TOn, keyof THandlers>] extends [never]
    ? unknown
    : {
        readonly on: { readonly [TKey in keyof THandlers]?: RouteOptions } & {
          readonly [TKey in Exclude<keyof TOn, keyof THandlers>]: never;
        };
      }
  : unknown;
type CheckedNested<TGroup, TItem> = TGroup extends { readonly routes: infer TGroups }
  ? [GroupProblem<TGroups, TItem>] extends [never]
    ? unknown
    : { readonly routes: CheckedGroups<TGroups, TItem> }
  : unknown;
/**
 * `never` if all groups of a list are valid. A valid list must not have its type in the parameter of
 * `createApp`, because TypeScript would refuse properties of inner groups that the type does not mention.
 */
type GroupProblem<TGroups, TItem> = TGroups extends readonly unknown[]
  ? {
      [TIndex in keyof TGroups]: unknown extends CheckedGroup<
        TGroups[TIndex],
        TItem | OwnItem<TGroups[TIndex]>
      >
        ? never
        : true;
    }[number]
  : never;

/** Group, checked against the middleware `TItem` of its chain. */
type CheckedGroup<TGroup, TItem> = CheckedHandlers<TGroup, TItem> &
  CheckedOn<TGroup> &
  CheckedNested<TGroup, TItem>;

/** Route groups, each checked against its own middleware and the middleware of the enclosing groups. */
type CheckedGroups<TGroups, TOuterItem> = {
  readonly [TIndex in keyof TGroups]: CheckedGroup<TGroups[TIndex], TOuterItem | OwnItem<TGroups[TIndex]>>;
};

/** Property names of `TGiven` that `TKnown` does not have. `never` if there are none. */
type UnknownName<TGiven, TKnown> = TGiven extends object ? Exclude<keyof TGiven, keyof TKnown> : never;
type OptionOf<TOptions, TName extends string> = TOptions extends { readonly [TKey in TName]?: infer TValue }
  ? TValue
  : never;
type UnknownNames<TOptions> =
  | UnknownName<TOptions, AppOptions>
  | UnknownName<OptionOf<TOptions, "logging">, LoggingOptions>
  | UnknownInGroup<ItemIn<OptionOf<TOptions, "routes">>>;
type UnknownInGroup<TGroup> = TGroup extends object
  ?
      | UnknownName<TGroup, RouteGroup>
      | (TGroup extends { readonly on: infer TOn } ? UnknownName<TOn[keyof TOn], RouteOptions> : never)
      | (TGroup extends { readonly routes: infer TGroups } ? UnknownInGroup<ItemIn<TGroups>> : never)
  : never;

/**
 * Parameter type of `createApp`: the given options, with groups whose middleware adds the properties that their
 * handlers read. Options with an unknown name are checked against {@link AppOptions} itself, so that the compiler names
 * the unknown option and suggests the correct name.
 */
export type CheckedOptions<TOptions extends AppOptions> = [UnknownNames<TOptions>] extends [never]
  ? TOptions & { readonly routes: CheckedGroups<TOptions["routes"], ItemIn<TOptions["middleware"]>> }
  : AppOptions;
