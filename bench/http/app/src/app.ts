import { createApp, type Plugin } from "@kit/core";
import type { ServerAdapter } from "@kit/types";
import { accountHandlers, accountMiddleware } from "./account.handlers.ts";
import { healthHandlers, noteHandlers, requireAuth, storedNoteHandlers } from "./notes.handlers.ts";

const auth = { name: "requireAuth", middleware: requireAuth, priority: 10 };

/** Returns the adapter that the command line names. Loads only its modules, as in an application with one adapter. */
async function chosenServer(): Promise<ServerAdapter> {
  const name = process.argv[2] ?? "native";
  switch (name) {
    case "native":
      return (await import("@kit/server-native")).nativeServer();
    case "express":
      return (await import("@kit/server-express")).expressServer();
    case "fastify":
      return (await import("@kit/server-fastify")).fastifyServer();
    case "hono":
      return (await import("@kit/server-hono")).honoServer();
    default:
      throw new RangeError(`There is no adapter ${name}; the adapters are native, express, fastify and hono`);
  }
}

/** Plugin that observes every request, as the debug sidecar and telemetry do. */
const looker: Plugin = { name: "looker", observe: { capacity: 1_000, spans: true, onResponse: () => {} } };

/** Returns the observing plugins that the command line names. */
async function chosenPlugins(): Promise<readonly Plugin[]> {
  const name = process.argv[3];
  if (name === undefined) return [];
  if (name === "observed") return [looker];
  if (name !== "sidecar")
    throw new RangeError(`There is no plugin ${name}; the plugins are observed and sidecar`);
  const { debugPlugin } = await import("@kit/plugin-debug");
  return [debugPlugin({ port: 0, mode: "production", apiKey: "of-the-benchmark" })];
}

/** Application that is measured. */
export const app = createApp({
  server: await chosenServer(),
  plugins: await chosenPlugins(),
  routes: [
    { handlers: healthHandlers },
    { handlers: noteHandlers, middleware: [auth] },
    { handlers: storedNoteHandlers, middleware: [auth] },
    { handlers: accountHandlers, middleware: accountMiddleware },
  ],
});
