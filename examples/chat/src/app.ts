import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { chatHandlers } from "./chat.handlers.ts";
import { database } from "./database.ts";
import { wake, wakeAll } from "./rooms.ts";

/** The chat, with its page at `/`. Each worker listens to the notifications of PostgreSQL. */
export const app = createApp({
  server: nativeServer({ workers: Number(process.env["WORKERS"] || 1) }),
  routes: [{ handlers: chatHandlers }],
  plugins: [database(wake, wakeAll)],
  staticFiles: [{ dir: "public" }],
});
