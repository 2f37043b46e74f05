import type { ServerAdapter } from "@kit/types";

/** Returns the adapter that the command line names. Loads only its modules, as in an application with one adapter. */
export async function chosenServer(): Promise<ServerAdapter> {
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
