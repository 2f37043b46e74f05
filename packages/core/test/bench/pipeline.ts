/**
 * Measures the CPU time of the pipeline for a request, without a server: `node packages/core/test/bench/pipeline.ts
 * [rounds] [observed]`. The exchange does nothing, so only kit's own code is measured. `observed` adds a plugin that
 * observes the requests. Prints nanoseconds of CPU time per request: the best of several rounds.
 */
import { type AppOptions, createApp } from "@kit/core";
import type { RouteMatch } from "@kit/types";
import { compiled, responseOf, route } from "../support/compiled.ts";
import { auth, cost, note, noteBody, noteId, type Scenario, smallBody } from "../support/benchmark.ts";
import { MemoryServer } from "../support/memory-server.ts";

const batch = 50_000;
const rounds = Number(process.argv[2] ?? 7);
const plugins = process.argv[3] === "observed" ? [{ name: "looker", observe: { spans: true } }] : [];

const routes = [
  route("GET /static", { response: note }),
  route("GET /sync/:id", { params: noteId, response: note }),
  route("GET /async/:id", { params: noteId, response: note }),
  route("POST /async", { body: noteBody, response: note }),
  route("GET /guarded/:id", { params: noteId, response: note, middleware: ["auth"] }),
  route("POST /guarded", { body: noteBody, response: note, middleware: ["auth"] }),
  route("GET /traced/:id", { params: noteId, response: responseOf("Traced", { id: "string" }) }),
];
const open = {
  "GET /static": () => ({ id: "1" }),
  "GET /sync/:id": ({ params }: { params: { id: string } }) => params,
  "GET /async/:id": async ({ params }: { params: { id: string } }) => params,
  "POST /async": async ({ body }: { body: { title: string } }) => ({ id: body.title }),
  "GET /traced/:id": ({ ctx }: { ctx: { traceId: string } }) => ({ id: ctx.traceId }),
};
const guarded = {
  "GET /guarded/:id": async ({ params, ctx }: { params: { id: string }; ctx: { userId: string } }) => ({
    id: params.id + ctx.userId,
  }),
  "POST /guarded": async ({ body }: { body: { title: string } }) => ({ id: body.title }),
};
/** A route number of -1 means that no route matches. */
const scenarios: [name: string, method: string, target: string, route: number, body?: string][] = [
  ["GET static, sync", "GET", "/static", 0],
  ["GET param, sync handler", "GET", "/sync/1", 1],
  ["GET param, async handler", "GET", "/async/1", 2],
  ["POST validate, async handler", "POST", "/async", 3, smallBody],
  ["GET param, async middleware and handler", "GET", "/guarded/1", 4],
  ["POST validate, async middleware and handler", "POST", "/guarded", 5, smallBody],
  ["GET param, trace id read", "GET", "/traced/1", 6],
  ["POST that does not validate", "POST", "/async", 3, "{}"],
  ["GET not found", "GET", "/nowhere", -1],
];

function scenarioOf([, method, target, number, body]: (typeof scenarios)[0]): Scenario {
  const params = target.split("/").slice(2);
  const match: RouteMatch = number < 0 ? { kind: "not-found" } : { kind: "route", route: number, params };
  return {
    method,
    target,
    match,
    isRefused: number < 0 || body === "{}",
    ...(body !== undefined && { body }),
  };
}

const app = createApp({
  server: new MemoryServer(),
  signals: false,
  env: "production",
  plugins,
  compiled: compiled(...routes),
  routes: [
    { handlers: open },
    { handlers: guarded, middleware: [{ name: "auth", middleware: auth, priority: 10 }] },
  ],
} as AppOptions);
const service = await app.service();
const best = scenarios.map(() => Number.POSITIVE_INFINITY);
for (let round = 0; round < rounds; round += 1) {
  for (const [index, scenario] of scenarios.entries()) {
    best[index] = Math.min(best[index]!, await cost(service, scenarioOf(scenario), batch));
  }
}
for (const [index, [name]] of scenarios.entries())
  console.log(`${best[index]!.toFixed(0).padStart(6)} ns  ${name}`);
