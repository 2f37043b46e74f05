import type { CompiledRoute } from "@kit/types";

import type { CallWatch } from "./call-watch.ts";

/** Data of a route that the recording of requests needs. */
export interface ObservedRoute {
  readonly compiled: CompiledRoute;
  /** Names of the phases of its requests, by phase number. */
  readonly phases: readonly string[];
  /** Decides which of its requests are observed for outgoing calls. */
  readonly callWatch: CallWatch;
  /** Middleware in order of execution. */
  readonly chain: readonly object[];
}
