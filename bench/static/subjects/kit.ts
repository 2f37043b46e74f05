/** Subject: kit without routes. The variable `KIT_SERVER` selects the native server or the fallback on `node:http`. */
import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";

import { compiled } from "../../../packages/core/test/support/compiled.ts";

const app = createApp({
  server: nativeServer(),
  compiled: compiled(),
  routes: [],
  staticFiles: { dir: process.env["STATIC_DIRECTORY"]! },
});
await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
process.stdin.resume().on("end", () => process.exit());
