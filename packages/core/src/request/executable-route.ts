import type { CallWatch } from "../observe/call-watch.ts";
import type { CompiledRoute } from "@kit/types";

import type { AnyMiddleware } from "../middleware.ts";

/** A middleware in its place. */
export interface ChainStep {
  readonly name: string;
  readonly run: AnyMiddleware;
}

/** What a handler is given; slots that the contract leaves out are `undefined`. */
export interface HandlerArgument {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly ctx: object;
}

/** A compiled route with the functions that serve it. */
export interface ExecutableRoute {
  readonly compiled: CompiledRoute;
  /** Names of the path's parameters in order. */
  readonly paramNames: readonly string[];
  /** Names of the phases of its requests, by phase number. */
  readonly phases: readonly string[];
  /** Whether calls of its requests are watched. */
  readonly callWatch: CallWatch;
  /** The middleware in order of running. */
  readonly chain: readonly ChainStep[];
  readonly handler: (input: HandlerArgument) => unknown;
}
