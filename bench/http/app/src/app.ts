import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { healthHandlers, noteHandlers, requireAuth } from "./notes.handlers.ts";

/** The measured application. */
export const app = createApp({
  server: nativeServer(),
  routes: [
    { handlers: healthHandlers },
    { handlers: noteHandlers, middleware: [{ name: "requireAuth", middleware: requireAuth, priority: 10 }] },
  ],
});
