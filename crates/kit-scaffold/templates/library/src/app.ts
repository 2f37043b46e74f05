import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { todoHandlers } from "@{{name}}/todos";

/** The application. It combines the routes of packages; only routes that are registered here are served. */
export const app = createApp({
  server: nativeServer(),
  health: true,
  routes: [{ prefix: "/todos", handlers: todoHandlers }],
});
