import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { BookRoutes } from "./books.routes.ts";

const unused = (): never => {
  throw new Error("no test calls the TypeScript server");
};

export const bookHandlers = defineHandlers<BookRoutes>({ "GET /books": unused, "POST /books": unused });

/** Every option that applies to all responses of the Rust server. */
export const app = createApp({
  server: nativeServer(),
  routes: [{ handlers: bookHandlers }],
  errors: { format: "problem-details", validationStatus: 422 },
  etag: true,
  csrf: { origins: ["https://admin.example.com"], token: { cookie: "__Host-csrf", header: "X-Csrf-Token" } },
  requestLog: { skipPaths: ["/healthz"], sampleRate: 0.5, userAgent: true },
  cors: { origins: ["https://app.example.com"], credentials: true },
  compression: { encodings: ["gzip"], minBytes: 2048 },
  securityHeaders: { frameOptions: "SAMEORIGIN" },
  limits: { bodyBytes: 16 * 1024 },
  requestTimeoutMs: 5_000,
  trustProxy: ["loopback"],
  logging: { level: "warn", redact: ["*.shelf"] },
  health: { live: "/live" },
  docs: true,
  openapi: true,
  shutdownDelayMs: 200,
});
