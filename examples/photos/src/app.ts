import { join } from "node:path";
import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { directory } from "./album.ts";
import { cookieKeys, requireOwner } from "./auth.ts";
import { limitLogins } from "./limits.ts";
import { ownerHandlers, photoHandlers, sessionHandlers } from "./photos.handlers.ts";

/** The photo album, with its page at `/`. */
export const app = createApp({
  server: nativeServer(),
  cookies: { keys: cookieKeys },
  // Pages of other sites cannot change the album with the cookie of the owner.
  csrf: true,
  routes: [
    { handlers: photoHandlers },
    {
      handlers: sessionHandlers,
      middleware: [{ name: "limitLogins", middleware: limitLogins, priority: 0 }],
    },
    {
      handlers: ownerHandlers,
      // A request without a session gets 401 before its photo is read.
      middleware: [{ name: "requireOwner", middleware: requireOwner, priority: 0 }],
      on: {
        // 50 MiB for the photo, and some bytes for the other parts. A slow network may need ten minutes.
        "POST /photos": { limits: { bodyBytes: 52_500_000 }, requestTimeoutMs: 600_000 },
        "POST /photos/import": { limits: { bodyBytes: 100_000_000 }, requestTimeoutMs: 600_000 },
      },
    },
  ],
  staticFiles: [
    // An image never changes.
    {
      dir: join(directory, "images"),
      prefix: "/images",
      cacheControl: "private, max-age=31536000, immutable",
    },
    { dir: "public" },
  ],
});
