import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { requireAuth } from "./auth.ts";
import { database } from "./database.ts";
import { teamHandlers } from "./teams.handlers.ts";
import { todoHandlers } from "./todos.handlers.ts";
import { userHandlers } from "./users.handlers.ts";

/** The teams API. */
export const app = createApp({
  server: nativeServer(),
  middleware: [requireAuth],
  routes: [
    { prefix: "/users", handlers: userHandlers },
    { prefix: "/todos", handlers: todoHandlers },
    { prefix: "/teams", handlers: teamHandlers },
  ],
  plugins: [database],
});
