import type { RouteContract } from "@kit/types";
import type { Order } from "./bench.types.ts";

/** A build requires a route. The measured validators and serializers are those of the types. */
export interface BenchRoutes {
  "POST /orders": RouteContract<void, void, Order, Order>;
}
