// Program of workers.test.ts: an application with two workers and a sidecar.

import { setTimeout as sleep } from "node:timers/promises";

import { createApp } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";
import { nativeServer } from "@kit/server-native";
import { compiled, responseOf, route } from "../../../core/test/support/compiled.ts";

const pid = route("GET /pid", { response: responseOf("Pid", { pid: "number" }) });
const slow = route("GET /slow", { response: responseOf("Slow", { pid: "number" }) });
const store = process.env["STORE"];
const app = createApp({
  server: nativeServer({ workers: 2 }),
  routes: [
    {
      handlers: {
        "GET /pid": () => ({ pid: process.pid }),
        "GET /slow": () => sleep(4_000, { pid: process.pid }),
      },
    },
  ],
  compiled: compiled(pid, slow),
  plugins: [
    debugPlugin({
      port: Number(process.env["DEBUG_PORT"]),
      security: { hostname: "127.0.0.1" },
      ...(store !== undefined && { store: store === "none" ? false : store }),
    }),
  ],
} as Parameters<typeof createApp>[0]);
const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`Listening on ${port}`);
