// A program with two workers and a sidecar, for stored.test.ts.

import { createApp } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";
import { nativeServer } from "@kit/server-native";
import { compiled, responseOf, route } from "../../../core/test/support/compiled.ts";

const pid = route("GET /pid", { response: responseOf("Pid", { pid: "number" }) });
const app = createApp({
  server: nativeServer({ workers: 2 }),
  routes: [{ handlers: { "GET /pid": () => ({ pid: process.pid }) } }],
  compiled: compiled(pid),
  plugins: [debugPlugin({ port: Number(process.env["DEBUG_PORT"]), store: process.env["STORE"]! })],
} as Parameters<typeof createApp>[0]);
const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`Listening on ${port}`);
