import type { AnyMiddleware } from "../middleware.ts";
import type { ObservedRoute } from "../observe/observed-route.ts";

/** Middleware of a chain. */
export interface ChainStep {
  readonly name: string;
  readonly run: AnyMiddleware;
}

/** Input of a handler. A slot that the contract leaves out is `undefined`. */
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
