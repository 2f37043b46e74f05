/** Program that starts an application, writes the modules of Node that are loaded by then to descriptor 3 as JSON, and ends. */
import { writeSync } from "node:fs";

import { createApp } from "@kit/core";

import { compiled, route } from "../../core/test/support/compiled.ts";
import { nativeServer } from "../src/index.ts";

const app = createApp({
  server: nativeServer(),
  env: "production",
  signals: false,
  compiled: compiled(route("GET /text")),
  routes: [{ handlers: { "GET /text": () => undefined } }],
});
await app.listen({ port: 0, host: "127.0.0.1" });
const loaded = (process as unknown as { readonly moduleLoadList: readonly string[] }).moduleLoadList;
const modules = loaded.filter((entry) => entry.startsWith("NativeModule "));
writeSync(3, JSON.stringify(modules.map((entry) => entry.slice("NativeModule ".length))));
await app.close();
