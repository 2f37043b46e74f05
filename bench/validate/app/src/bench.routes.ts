import type { RouteContract } from "@kit/types";
import type { Order } from "./bench.types.ts";

/** Route that a build requires. The benchmark measures the validators and serializers of the types themselves. */
export interface BenchRoutes {
  "POST /orders": RouteContract<void, void, Order, Order>;
}
