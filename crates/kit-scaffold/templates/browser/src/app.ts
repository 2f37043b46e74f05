import { existsSync } from "node:fs";
import { createApp, type StaticFilesOptions } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { todoHandlers } from "./todos.handlers.ts";

/** The page that `vite build web` has built. In development, Vite serves the page. */
const page: StaticFilesOptions[] = existsSync(new URL("../web/dist/index.html", import.meta.url))
  ? [
      // Names of these files contain a hash of their content.
      {
        dir: "web/dist/assets",
        prefix: "/assets",
        cacheControl: "public, max-age=31536000, immutable",
      },
      { dir: "web/dist", headers: { "content-security-policy": "default-src 'self'" } },
    ]
  : [];

/** The application. Only routes that are registered here are served. */
export const app = createApp({
  server: nativeServer(),
  health: true,
  routes: [{ prefix: "/todos", handlers: todoHandlers }],
  staticFiles: page,
});
