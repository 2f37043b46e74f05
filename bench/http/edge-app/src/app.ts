import { createApp } from "@kit/core";
import type { ServerAdapter } from "@kit/types";
import { allowedOrigin, chosenFeature } from "../../subjects/edge.ts";
import { edgeHandlers } from "./edge.handlers.ts";

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

const feature = chosenFeature();

/** Application that is measured. Only the feature that the benchmark has chosen is on. */
export const app = createApp({
  server: await chosenServer(),
  ...(feature === "cors" && { cors: { origins: [allowedOrigin] } }),
  ...(feature === "etag" && { etag: true }),
  ...(feature === "compression" && { compression: { encodings: ["gzip" as const] } }),
  routes: [{ handlers: edgeHandlers }],
});
