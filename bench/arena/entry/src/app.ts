import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";

import { arenaHandlers } from "./arena.handlers.ts";
import { datasetDirectory, workers } from "./environment.ts";

/** Limit of an upload: the largest one of the profile has 20 MiB. */
const uploadBytes = 21 * 1024 * 1024;

export const app = createApp({
  server: nativeServer({ workers }),
  routes: [{ handlers: arenaHandlers, on: { "POST /upload": { limits: { bodyBytes: uploadBytes } } } }],
  compression: { encodings: ["gzip"] },
  staticFiles: { dir: `${datasetDirectory}/static`, prefix: "/static", precompressed: true },
});
