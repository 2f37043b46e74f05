import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { requireAuth } from "./auth.ts";
import { database } from "./database.ts";
import { noteHandlers } from "./notes.handlers.ts";

/** The notes API. */
export const app = createApp({
  server: nativeServer(),
  routes: [
    {
      prefix: "/notes",
      handlers: noteHandlers,
      middleware: [{ name: "requireAuth", middleware: requireAuth, priority: 10 }],
    },
  ],
  plugins: [database],
});
