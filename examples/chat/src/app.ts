import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { cookieKeys, requireMember } from "./auth.ts";
import { entryHandlers, memberHandlers, readerHandlers } from "./chat.handlers.ts";
import { database } from "./database.ts";
import { wake, wakeAll } from "./rooms.ts";

/** The chat, with its page at `/`. Each worker listens to the notifications of PostgreSQL. */
export const app = createApp({
  server: nativeServer({ workers: Number(process.env["WORKERS"] || 1) }),
  cookies: { keys: cookieKeys() },
  csrf: true,
  routes: [
    { handlers: entryHandlers },
    {
      handlers: memberHandlers,
      middleware: [{ name: "requireMember", middleware: requireMember, priority: 10 }],
    },
    { handlers: readerHandlers },
  ],
  plugins: [database(wake, wakeAll)],
  staticFiles: [{ dir: "public" }],
});
