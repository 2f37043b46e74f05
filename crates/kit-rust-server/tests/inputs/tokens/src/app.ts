import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { TokenRoutes, TypedRoutes, UseRoutes, VisitRoutes } from "./keys.routes.ts";

const unused = (): never => {
  throw new Error("no test calls the TypeScript server");
};

export const visitHandlers = defineHandlers<VisitRoutes>({
  "POST /visits": unused,
  "GET /visits": unused,
  "GET /visits/:id": unused,
  "PUT /visits/:id": unused,
  "DELETE /visits/:id": unused,
});
export const tokenHandlers = defineHandlers<TokenRoutes>({
  "POST /tokens": unused,
  "GET /tokens/:id": unused,
  "PUT /tokens/:id": unused,
  "DELETE /tokens/:id": unused,
});
export const useHandlers = defineHandlers<UseRoutes>({
  "POST /uses": unused,
  "GET /uses": unused,
});
export const typedHandlers = defineHandlers<TypedRoutes>({
  "GET /typed/tokens/:id": unused,
  "PUT /typed/tokens/:id": unused,
  "DELETE /typed/tokens/:id": unused,
});

export const app = createApp({
  server: nativeServer(),
  routes: [
    { prefix: "/", handlers: visitHandlers },
    { prefix: "/", handlers: tokenHandlers },
    { prefix: "/", handlers: typedHandlers },
    { prefix: "/", handlers: useHandlers },
  ],
});
