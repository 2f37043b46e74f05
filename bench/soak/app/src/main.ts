import { createApp } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";
import { nativeServer } from "@kit/server-native";
import { noteHandlers, requireAuth, troubleHandlers } from "./handlers.ts";

const { KIT_SOAK_COLLECTOR: collector, KIT_SOAK_STORE: store } = process.env;
const sidecar = debugPlugin({
  port: 0,
  mode: "production",
  apiKey: "of-the-soak",
  rateLimit: { max: 1_000_000 },
  // The limit is small, so that the file is full within minutes.
  ...(store !== undefined && { store: { path: store, maxBytes: 4 * 1024 * 1024 } }),
});
const isObserved = collector !== undefined;

const app = createApp({
  server: nativeServer(),
  plugins: isObserved ? [sidecar] : [],
  logging: { level: isObserved ? "debug" : "info" },
  telemetry: {
    tracing: isObserved,
    metrics: isObserved,
    logs: isObserved,
    endpoint: collector ?? "http://localhost:4318",
    metricsIntervalMs: 2_000,
  },
  routes: [
    { handlers: noteHandlers, middleware: [{ name: "requireAuth", middleware: requireAuth, priority: 10 }] },
    { handlers: troubleHandlers },
  ],
});
const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
// Waits for the sidecar, which starts to listen asynchronously.
if (isObserved) while (sidecar.address === null) await new Promise((wake) => setTimeout(wake, 5));
console.log(JSON.stringify({ port, sidecar: sidecar.address?.port }));
