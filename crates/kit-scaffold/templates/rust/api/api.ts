import { declareApi, declareContracts } from "@kit/core";
import type { TodoRoutes } from "./todos.routes.ts";

/** The API. kit reads it from the source; only routes that are declared here are served. */
export const api = declareApi({
  securityHeaders: true,
  routes: [{ prefix: "/todos", contracts: declareContracts<TodoRoutes>() }],
});
