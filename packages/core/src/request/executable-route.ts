import type { CallWatch } from "../observe/call-watch.ts";
import type { CompiledRoute } from "@kit/types";

import type { AnyMiddleware } from "../middleware.ts";

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
export interface ExecutableRoute {
  readonly compiled: CompiledRoute;
  /** Names of the path's parameters in order. */
  readonly paramNames: readonly string[];
  /** Names of the phases of its requests, by phase number. */
  readonly phases: readonly string[];
  /** Decides which of its requests are observed for outgoing calls. */
  readonly callWatch: CallWatch;
  /** Middleware in order of execution. */
  readonly chain: readonly ChainStep[];
  readonly handler: (input: HandlerArgument) => unknown;
}
