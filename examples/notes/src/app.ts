import { createApp } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";
import { nativeServer } from "@kit/server-native";
import { requireAuth } from "./auth.ts";
import { database } from "./database.ts";
import { noteHandlers } from "./notes.handlers.ts";

/** Debug sidecar with requests, logs and errors of the application. Development only. */
const debug =
  process.env["NODE_ENV"] === "development"
    ? [debugPlugin({ mode: "dev", port: Number(process.env["DEBUG_PORT"] || 9800) })]
    : [];

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
  plugins: [database, ...debug],
});
