import type { Reply, Route, RouteContract } from "@kit/types";
import type {
  Context,
  ContextCookies,
  ContextHeaders,
  Entry,
  Job,
  NewOrder,
  Note,
  Order,
} from "./edge.types.ts";

/** Routes of the scenarios with one feature of HTTP. */
export interface EdgeRoutes {
  "GET /note": RouteContract<void, void, void, Note>;
  "GET /context": Route<{ headers: ContextHeaders; cookies: ContextCookies; response: Context }>;
  "POST /orders": Route<{
    body: NewOrder;
    response: Reply<201, Order, { location: string; "x-version": string }> | Reply<202, Job>;
  }>;
  "GET /entries": RouteContract<void, void, void, Entry[]>;
}
