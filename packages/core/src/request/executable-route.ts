import type { AnyMiddleware } from "./middleware.ts";
import type { ObservedRoute } from "../observe/observed-route.ts";

/** Middleware in the chain of a route. */
export interface ChainStep {
  readonly name: string;
  readonly run: AnyMiddleware;
}

/** Input of a handler. `params`, `query` and `body` are `undefined` if the contract leaves them out. */
export interface HandlerArgument {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly ctx: object;
}

/** Compiled route with the functions that serve it. */
export interface ExecutableRoute extends ObservedRoute {
  /** Names of the path's parameters in order. */
  readonly paramNames: readonly string[];
  readonly chain: readonly ChainStep[];
  readonly handler: (input: HandlerArgument) => unknown;
}
