import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { todoHandlers } from "./todos.handlers.ts";

/** The application. Only routes that are registered here are served. */
export const app = createApp({
  server: nativeServer(),
  health: true,
  routes: [{ prefix: "/todos", handlers: todoHandlers }],
});
