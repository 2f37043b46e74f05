import { createApp, type Plugin } from "@kit/core";
import { chosenServer } from "../../subjects/chosen-server.ts";
import { accountHandlers, accountMiddleware } from "./account.handlers.ts";
import { healthHandlers, noteHandlers, requireAuth, storedNoteHandlers } from "./notes.handlers.ts";

const auth = { name: "requireAuth", middleware: requireAuth, priority: 10 };

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
