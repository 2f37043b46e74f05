import assert from "node:assert/strict";
import { debug, eventually, inspect, type Json } from "../read.ts";
import { notes, notesApp, onlyOnce } from "../projects.ts";
import type { RunningApp } from "../../e2e/support/running-app.ts";
import { at, type Section } from "../statement.ts";

/**
 * Starts Notes and sends four requests: a valid one, one without authorization, an invalid one, and one to an unknown path. The sidecar
 * then has one entry for each.
 */
const appWithRequests = onlyOnce(async (): Promise<RunningApp> => {
  const app = await notesApp();
  const ada = app.as("ada");
  await ada.post("/notes", { title: "t", content: "c" });
  await ada.get("/notes");
  await app.with({}).get("/notes");
  await ada.post("/notes", { title: "" });
  await ada.get("/notes/none");
  await eventually(
    () => debug<{ errors: Json[] }>(app, "errors"),
    ({ errors }) => errors.length >= 3,
  );
  return app;
});

const get = async <T = Json>(path: string): Promise<T> => debug<T>(await appWithRequests(), path);

/** Asserts that an object has properties with these names. */
function assertHas(value: unknown, ...names: readonly string[]): void {
  assert.equal(typeof value, "object");
  const missing = names.filter((name) => !Object.hasOwn(value as object, name));
  assert.deepEqual(missing, [], JSON.stringify(value).slice(0, 500));
}

/** Asserts that a response of the sidecar has a list under this name. Returns the list. */
async function listOf(path: string, name: string): Promise<readonly Json[]> {
  const list = (await get(path))[name];
  assert.ok(Array.isArray(list), `${path} has no list ${name}`);
  return list as readonly Json[];
}

export const sidecarEndpoints: Section = {
  number: "4.4",
  title: "Sidecar endpoints",
  statements: [
    {
      title: "the port of the sidecar is 9800 by default",
      provenBy: at(
        "packages/plugin-debug/test/options.test.ts",
        "select port 9800 of this machine and hide credentials by default",
      ),
    },
    {
      title: "responses of the sidecar are JSON",
      test: async () => {
        const answer = await fetch(
          `http://127.0.0.1:${await (await appWithRequests()).debugPort()}/_debug/health`,
        );
        assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
      },
    },
    {
      title: "/_debug/routes lists the routes with middleware, validators and serializer",
      test: async () => {
        const routes = await listOf("routes", "routes");
        assert.equal(routes.length, 5);
        for (const route of routes)
          assertHas(route, "method", "path", "ref", "middleware", "validators", "serializer");
      },
    },
    {
      title: "/_debug/routes/:method/:path shows one route",
      test: async () => {
        const { method, path, ref, middleware, validators, serializer } = await get("routes/PUT/notes/:id");
        assert.deepEqual(
          { method, path, ref, middleware, validators, serializer },
          {
            method: "PUT",
            path: "/notes/:id",
            ref: "PUT /notes/:id",
            middleware: ["requireAuth"],
            validators: { params: "PutNotesByIdParams", body: "UpdateNoteInput" },
            serializer: "Note",
          },
        );
      },
    },
    {
      title: "/_debug/routes/:method/:path accepts a path whose first slash is escaped",
      test: async () => {
        const port = await (await appWithRequests()).debugPort();
        const answer = await fetch(`http://127.0.0.1:${port}/_debug/routes/GET/%2Fnotes%2F:id`);
        await answer.text();
        assert.equal(answer.status, 200);
      },
    },
    {
      title: "/_debug/middleware shows the middleware with their priorities",
      test: async () => {
        const middleware = await listOf("middleware", "middleware");
        assert.equal(middleware.find(({ name }) => name === "requireAuth")?.["priority"], 10);
      },
    },
    {
      title: "/_debug/deps and /_debug/dependencies show the packages of kit and their dependencies",
      test: async () => {
        const packages = await listOf("deps", "dependencies");
        for (const one of packages) assertHas(one, "name", "dependsOn");
        assert.deepEqual(await listOf("dependencies", "dependencies"), packages);
      },
    },
    {
      title: "/_debug/schema/:name shows a type and the routes that use it",
      test: async () => {
        const schema = await get("schema/Note");
        assert.equal(schema["name"], "Note");
        assertHas(schema, "properties", "usedBy");
        assert.deepEqual(schema["usedBy"], (await inspect(await notes(), "schema", "Note"))["usedBy"]);
      },
    },
    {
      title: "/_debug/errors lists the recent errors",
      test: async () => {
        const errors = await listOf("errors", "errors");
        const codes = new Set(errors.map(({ code }) => code));
        for (const code of ["UNAUTHORIZED", "VALIDATION_ERROR", "NOTE_NOT_FOUND"])
          assert.ok(codes.has(code), code);
      },
    },
    {
      title: "/_debug/errors accepts the parameters since, limit and last",
      test: async () => {
        assert.equal((await listOf("errors?last=1", "errors")).length, 1);
        assert.equal((await listOf("errors?limit=2", "errors")).length, 2);
        assert.ok((await listOf("errors?since=5m", "errors")).length >= 3);
        assert.ok((await listOf("errors?since=1h", "errors")).length >= 3);
      },
    },
    {
      title: "/_debug/performance shows percentiles and throughput of a route in a time window",
      test: async () => {
        const figures = await get("performance?route=/notes&window=5m");
        assertHas(
          figures,
          "route",
          "window",
          "count",
          "p50",
          "p95",
          "p99",
          "min",
          "max",
          "avgMs",
          "throughput",
        );
        assert.deepEqual([figures["route"], figures["window"]], ["/notes", "5m"]);
        assert.ok(Number(figures["count"]) >= 3);
        assert.equal((await get("performance?window=24h"))["window"], "24h");
      },
    },
    {
      title: "/_debug/health shows status, uptime and memory, connections and the lag of the event loop",
      test: async () => {
        const health = await get("health");
        assert.equal(health["status"], "ok");
        assertHas(health, "uptime", "connections", "eventLoopLag");
        assertHas(health["memory"], "heapUsed", "heapTotal", "rss");
      },
    },
    {
      title: "/_debug/health shows adapter, platform, port and host, which kit inspect server reads",
      test: async () => {
        const app = await appWithRequests();
        const { adapter, port, host } = await get("health");
        assert.deepEqual([adapter, port, host], ["native", app.port, "127.0.0.1"]);
      },
    },
    {
      title: "/_debug/server shows adapter, platform, port and status",
      test: async () => {
        const server = await get("server");
        assertHas(server, "adapter", "platform", "port", "status");
        assert.deepEqual([server["adapter"], server["port"]], ["native", (await appWithRequests()).port]);
      },
    },
    {
      title: "/_debug/build-pipeline shows the hooks of a build in order",
      test: async () => {
        const hooks = await listOf("build-pipeline", "hooks");
        assert.deepEqual(
          hooks.map(({ name }) => name),
          ["beforeTransform", "afterTypeParse", "afterValidators", "afterRouteTable", "emit", "done"],
        );
      },
    },
    {
      title: "/_debug/spans lists recent spans and accepts the parameter since",
      test: async () => {
        const spans = await listOf("spans?since=5m", "spans");
        assert.ok(spans.some(({ name }) => name === "POST /notes"));
        assert.ok(spans.some(({ name }) => name === "handler"));
      },
    },
    {
      title: "/_debug/traces shows the spans of each trace as a tree",
      test: async () => {
        const traces = await listOf("traces", "traces");
        const names = [
          "traceId",
          "spanId",
          "name",
          "startTime",
          "endTime",
          "status",
          "attributes",
          "children",
        ];
        for (const trace of traces) assertHas(trace, ...names);
      },
    },
    {
      title: "/_debug/traces has at most the last 100 requests",
      provenBy: at(
        "packages/plugin-debug/test/endpoints.test.ts",
        "returns at most 100 traces, and no more requests than the history stores",
      ),
    },
    {
      title: "/_debug/logs lists recent log entries and accepts the parameters since and level",
      provenBy: at(
        "packages/plugin-debug/test/endpoints.test.ts",
        "returns log entries, filtered by level and time",
      ),
    },
    {
      title: "/_debug/logs hides the properties that match logging.redact",
      provenBy: at(
        "tests/conformance/observed.test.ts",
        "hidden values appear in no log entry, span or response of the sidecar",
      ),
    },
  ],
};
