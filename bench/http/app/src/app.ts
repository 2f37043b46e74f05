import { createApp, type Plugin } from "@kit/core";
import { chosenServer } from "../../subjects/chosen-server.ts";
import { accountHandlers, accountMiddleware } from "./account.handlers.ts";
import { healthHandlers, noteHandlers, requireAuth, storedNoteHandlers } from "./notes.handlers.ts";

const auth = { name: "requireAuth", middleware: requireAuth, priority: 10 };

/** Plugin that observes every request, as the debug sidecar and telemetry do. */
const looker: Plugin = { name: "looker", observe: { capacity: 1_000, spans: true, onResponse: () => {} } };

/** Name of the kind of observation on the command line. Absent if nothing observes the requests. */
const observation = process.argv[3];

/** Returns the observing plugins that the command line names. */
async function chosenPlugins(): Promise<readonly Plugin[]> {
  const name = observation;
  if (name === undefined || name === "metrics") return [];
  if (name === "observed") return [looker];
  if (name !== "sidecar")
    throw new RangeError(`There is no plugin ${name}; the names are observed, sidecar and metrics`);
  const { debugPlugin } = await import("@kit/plugin-debug");
  return [debugPlugin({ port: 0, mode: "production", apiKey: "of-the-benchmark" })];
}

/** Application that is measured. */
export const app = createApp({
  server: await chosenServer(),
  plugins: await chosenPlugins(),
  telemetry: { prometheus: observation === "metrics" && { port: 0 } },
  routes: [
    { handlers: healthHandlers },
    { handlers: noteHandlers, middleware: [auth] },
    { handlers: storedNoteHandlers, middleware: [auth] },
    { handlers: accountHandlers, middleware: accountMiddleware },
  ],
});
