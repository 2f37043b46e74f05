import type { RouteContract } from "@kit/types";

/** Contracts of the routes under `/example`. */
export interface ExampleRoutes {
  /**
   * Needs no other service.
   *
   * @summary Reports that the API is ready
   */
  "GET /example": RouteContract<void, void, void, { ready: boolean }>;
}
