/**
 * Application that is measured, in its own process. Receives the name of a scenario, runs one slice of it, and returns the nanoseconds of
 * CPU time per request.
 */
import { type AppOptions, createApp, type Plugin } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";

import { compiled, route } from "../../packages/core/test/support/compiled.ts";
import {
  auth,
  cost,
  note,
  noteBody,
  noteId,
  type Scenario,
  smallBody,
} from "../../packages/core/test/support/benchmark.ts";
import { MemoryServer } from "../../packages/core/test/support/memory-server.ts";

/** Number of requests in a slice, which takes some tens of milliseconds. */
const requests = 10_000;

const routes = [
  route("GET /sync/:id", { params: noteId, response: note }),
  route("GET /guarded/:id", { params: noteId, response: note, middleware: ["auth"] }),
  route("POST /guarded", { body: noteBody, response: note, middleware: ["auth"] }),
  route("GET /handler/:id", { params: noteId, response: note, middleware: ["auth"] }),
];
interface Input {
  readonly params: { id: string };
  readonly body: { title: string };
  readonly ctx: {
    readonly userId: string;
    readonly span?: { setAttribute(name: string, value: string): void };
    readonly log: { info(message: string, data: object): void };
  };
}
const guarded = {
  "GET /guarded/:id": async ({ params, ctx }: Input) => ({ id: params.id + ctx.userId }),
  "POST /guarded": async ({ body }: Input) => ({ id: body.title }),
  // Sets a span attribute, logs an entry and awaits a promise, as real handlers do.
  "GET /handler/:id": async ({ params, ctx }: Input) => {
    ctx.span?.setAttribute("note.id", params.id);
    await Promise.resolve();
    ctx.log.info("Note read", { id: params.id });
    return params;
  },
};
const to = (method: string, target: string, number: number, more: Partial<Scenario> = {}): Scenario => ({
  method,
  target,
  match: { kind: "route", route: number, params: target.split("/").slice(2) },
  ...more,
});
const scenarios: Readonly<Record<string, Scenario>> = {
  "get-sync": to("GET", "/sync/1", 0),
  "get-guarded": to("GET", "/guarded/1", 1),
  "post-guarded": to("POST", "/guarded", 2, { body: smallBody }),
  handler: to("GET", "/handler/1", 3),
  "not-found": { method: "GET", target: "/nowhere", match: { kind: "not-found" }, isRefused: true },
};

function pluginsOf(kind: string): readonly Plugin[] {
  switch (kind) {
    case "off":
      return [];
    case "looked-at":
      return [{ name: "looker", observe: { capacity: 1_000, spans: true, onResponse: () => {} } }];
    case "sidecar":
      return [debugPlugin({ port: 0, mode: "production", apiKey: "bench" })];
    case "sidecar-dev":
      return [debugPlugin({ port: 0, mode: "dev", security: { hostname: "127.0.0.1" } })];
    default:
      throw new RangeError(`There is no subject ${kind}`);
  }
}

const server = new MemoryServer();
const app = createApp({
  server,
  signals: false,
  env: "production",
  plugins: pluginsOf(process.argv[2] ?? "off"),
  compiled: compiled(...routes),
  routes: [
    { handlers: { "GET /sync/:id": ({ params }: Input) => params } },
    { handlers: guarded, middleware: [{ name: "auth", middleware: auth, priority: 10 }] },
  ],
} as unknown as AppOptions);
await app.listen({ port: 0 });
const service = server.service!;

process.on("message", (name: string) => {
  void cost(service, scenarios[name]!, requests).then((nanoseconds) => process.send!(nanoseconds));
});
process.on("disconnect", () => process.exit());
