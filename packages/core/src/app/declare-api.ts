/**
 * Declaration of an application whose handlers are not written in TypeScript. `kit build` reads it, and generates a
 * server in another language. No program needs to run it.
 *
 * @module
 */
import type { ContractGroup } from "../request/handlers.ts";
import type { AddedProperties, Middleware, MiddlewareItem } from "../request/middleware.ts";
import { Wrapper } from "../request/wrapper-object.ts";
import type { WrapperParts } from "../request/wrapper.ts";
import type { AppOptions, RouteOptions } from "./options.ts";

declare const routesMark: unique symbol;

/** Contract group without handlers, as {@link declareContracts} returns it. */
export interface DeclaredContracts<TRoutes extends ContractGroup<TRoutes>> {
  /** Exists only for the type checker. */
  readonly [routesMark]?: TRoutes;
}

/** Any contract group without handlers. */
interface AnyContracts {
  readonly [routesMark]?: unknown;
}

/** Contract group with a common path prefix and middleware. A group may contain groups. */
export interface DeclaredGroup {
  /** Prefix of the paths in the contracts' keys. See {@link RouteGroup.prefix}. */
  readonly prefix?: string;
  /** Contracts of the group: `declareContracts<TodoRoutes>()`. */
  readonly contracts?: AnyContracts;
  /** Middleware of this group. It runs together with the global middleware, in one chain by priority. */
  readonly middleware?: readonly MiddlewareItem[];
  /** Options of single routes, by the contracts' keys: `{ "POST /todos": { limits: { bodyBytes: 65_536 } } }`. */
  readonly on?: Readonly<Record<string, RouteOptions>>;
  /** Groups inside of this group. They get the prefix and the middleware of this group. */
  readonly routes?: readonly DeclaredGroup[];
}

/** Options of `createApp` that only a process of Node can have. */
type OnlyOnNode =
  | "server"
  | "routes"
  | "plugins"
  | "compiled"
  | "env"
  | "errorMiddleware"
  | "signals"
  | "telemetry";

/** Options of {@link declareApi}. */
export interface ApiOptions extends Omit<AppOptions, OnlyOnNode> {
  /** Routes of the application. */
  readonly routes: readonly DeclaredGroup[];
}

/**
 * Declares the routes, the middleware and the options of an application whose handlers are not written in TypeScript.
 * `kit build` reads the call from the source, as it reads `createApp`. Returns the options unchanged.
 *
 * @param options - Object literal with literal values, or constants with such values.
 * @example
 * ```ts
 * export const api = declareApi({
 *   securityHeaders: true,
 *   routes: [{ prefix: "/todos", contracts: declareContracts<TodoRoutes>(), middleware: [requireAuth] }],
 * });
 * ```
 */
export function declareApi<const TOptions extends ApiOptions>(options: TOptions): TOptions {
  return options;
}

/**
 * Declares the contracts of a route group of {@link declareApi}. The type argument is the interface of the contract
 * group.
 *
 * @example
 * ```ts
 * declareApi({ routes: [{ contracts: declareContracts<TodoRoutes>() }] });
 * ```
 */
export function declareContracts<TRoutes extends ContractGroup<TRoutes>>(): DeclaredContracts<TRoutes> {
  return {};
}

/**
 * Declares a middleware that is not written in TypeScript. The type argument has the properties that the middleware adds
 * to the context, which tags such as `@owner userId = ctx.userId` can name. The doc tags of the constant describe the
 * credentials and the errors of the middleware.
 *
 * @example
 * ```ts
 * export const requireAuth = declareMiddleware<{ userId: string }>();
 * ```
 */
export function declareMiddleware<TAdded extends AddedProperties | void = void>(): Middleware<TAdded> {
  return notInTypeScript;
}

/**
 * Declares a wrapper that is not written in TypeScript. The type argument has the parts of the wrapper, as that of
 * `defineWrapper`.
 *
 * @example
 * ```ts
 * export const limited = declareWrapper<{ replies: Reply<304> }>();
 * ```
 */
export function declareWrapper<
  TParts extends {
    [TName in keyof TParts]: TName extends keyof WrapperParts ? WrapperParts[TName] : never;
  } = {},
>(): Wrapper<TParts> {
  return new Wrapper<TParts>(notInTypeScript);
}

function notInTypeScript(): never {
  throw new Error(
    "this middleware is only declared; define it with `defineMiddleware` or `defineWrapper` to use it on Node",
  );
}
