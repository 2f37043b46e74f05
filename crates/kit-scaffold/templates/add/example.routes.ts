import type { RouteContract } from "@kit/types";

/** What can be asked under `/example`. */
export interface ExampleRoutes {
  /**
   * It needs nothing else.
   *
   * @summary Says whether it is there
   */
  "GET /example": RouteContract<void, void, void, { ready: boolean }>;
}
