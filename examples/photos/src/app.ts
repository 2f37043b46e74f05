import { join } from "node:path";
import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { directory } from "./album.ts";
import { photoHandlers } from "./photos.handlers.ts";

/** The photo album, with its page at `/`. */
export const app = createApp({
  server: nativeServer(),
  routes: [
    {
      handlers: photoHandlers,
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
