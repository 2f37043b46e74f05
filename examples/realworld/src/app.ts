import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { readingHandlers, writingHandlers } from "./articles.handlers.ts";
import { readMember, requireMember } from "./auth.ts";
import { database } from "./database.ts";
import { errorFormat } from "./errors.ts";
import { followHandlers, loginHandlers, profileHandlers, userHandlers } from "./users.handlers.ts";

const open = [{ name: "readMember", middleware: readMember, priority: 10 }];
const members = [{ name: "requireMember", middleware: requireMember, priority: 10 }];

/** Conduit. */
export const app = createApp({
  server: nativeServer(),
  cors: { origins: "*" },
  errors: { format: errorFormat, validationStatus: 422 },
  routes: [
    { prefix: "/api", handlers: loginHandlers },
    { prefix: "/api", handlers: userHandlers, middleware: members },
    { prefix: "/api", handlers: profileHandlers, middleware: open },
    { prefix: "/api", handlers: followHandlers, middleware: members },
    { prefix: "/api", handlers: readingHandlers, middleware: open },
    { prefix: "/api", handlers: writingHandlers, middleware: members },
  ],
  plugins: [database],
});
