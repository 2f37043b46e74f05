import { createApp, defineHandlers, defineMiddleware } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { Handlers, Routes } from "./names.routes.ts";

const context = defineMiddleware(() => ({}));
const error = defineMiddleware(() => ({}));

const notHere = (): never => {
  throw new Error("the TypeScript server is not what is looked at here");
};

export const first = defineHandlers<Routes>({
  "POST /options": notHere,
  "GET /options": notHere,
  "GET /options/:id": notHere,
  "DELETE /options/:id": notHere,
  "POST /strings": notHere,
  "POST /errors": notHere,
  "POST /odd": notHere,
  "POST /forest": notHere,
});
export const second = defineHandlers<Handlers>({
  "POST /context": notHere,
  "POST /accounts": notHere,
});

export const app = createApp({
  server: nativeServer(),
  routes: [
    { prefix: "/", handlers: first },
    {
      prefix: "/",
      handlers: second,
      middleware: [
        { name: "context", middleware: context, priority: 10 },
        { name: "error", middleware: error, priority: 20 },
      ],
    },
  ],
});
