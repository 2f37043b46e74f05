import assert from "node:assert/strict";
import { debug, entriesOf, eventually, type Json } from "../read.ts";
import { playgroundApp } from "../projects.ts";
import { at, type Section } from "../statement.ts";

const plugins = "packages/cli/test/plugins.test.ts";
const everyHook = at(plugins, "a plugin adds a type, changes another type, adds a validator and emits files");

export const hooks: Section = {
  number: "6.1",
  title: "Build hooks",
  statements: [
    {
      title:
        "taps run in the order of beforeTransform, afterTypeParse, afterValidators, afterRouteTable, emit, done",
      provenBy: everyHook,
    },
    { title: "beforeTransform adds sources of types", provenBy: everyHook },
    { title: "afterTypeParse changes types", provenBy: everyHook },
    { title: "afterValidators adds validators", provenBy: everyHook },
    { title: "afterRouteTable changes routes", provenBy: everyHook },
    { title: "emit adds artifacts of the plugin", provenBy: everyHook },
    { title: "done reports", provenBy: everyHook },
    { title: "a compile step replaces the project's compiler", provenBy: everyHook },
    {
      title: "a hook function that fails also fails the build, with plugin, hook and location",
      provenBy: at(
        plugins,
        "reports a mistake of a plugin with its name, hook and location, and writes nothing",
      ),
    },
  ],
};

/** Returns the JSON log entries that `GET /log` of the playground has written to standard output. */
async function logged(): Promise<readonly Json[]> {
  const app = await playgroundApp();
  await app.with({}).get("/log");
  return eventually(
    () => entriesOf(app).filter(({ message }) => String(message).startsWith("at ")),
    (entries) => entries.length >= 4,
  );
}

const observed = "tests/conformance/observed.test.ts";

export const logs: Section = {
  number: "6.2",
  title: "Log entries",
  statements: [
    {
      title:
        "an entry has level, message, timestamp, traceId, route, phase, requestId, serverAdapter and data",
      test: async () => {
        const entry = (await logged())[0]!;
        const { level, message, route, phase, serverAdapter } = entry;
        assert.deepEqual(
          [level, message, route, phase, serverAdapter],
          ["info", "at info", "GET /log", "handler", "native"],
        );
        assert.match(String(entry["traceId"]), /^[0-9a-f]{32}$/);
        assert.ok(String(entry["requestId"]).length > 0);
        assert.ok("data" in entry);
      },
    },
    {
      title: "the timestamp of a log entry is in ISO 8601",
      test: async () => {
        for (const { timestamp } of await logged())
          assert.equal(new Date(String(timestamp)).toISOString(), timestamp);
      },
    },
    {
      title: "log entries below the minimum level are not written",
      provenBy: at(
        observed,
        "log entries have their properties and levels, respect the minimum level and omit hidden values",
      ),
    },
    {
      title: "standard output, sidecar and collector get the same log entries",
      provenBy: at(
        observed,
        "log entries are the same on standard output, in the sidecar, for plugins and in a collector",
      ),
    },
    {
      title: "the severity numbers of the levels are 1, 5, 9, 13, 17 and 21",
      provenBy: at(
        observed,
        "log entries are the same on standard output, in the sidecar, for plugins and in a collector",
      ),
    },
    {
      title: "log entries in a collector have traceId and spanId",
      provenBy: at(
        "packages/otel/test/otel.test.ts",
        "exports the spans of a request, spans of other instrumentation, and log entries of the request",
      ),
    },
    {
      title: "logging.redact hides properties in every output",
      provenBy: at(observed, "hidden values appear in no log entry, span or response of the sidecar"),
    },
  ],
};

type Span = Json & { readonly attributes: Json; readonly name: string };

/** Returns the spans of a request to the playground whose response had this status. The root span comes first. */
async function spansOf(
  path: string,
  name: string,
  status: number,
): Promise<readonly [root: Span, ...children: Span[]]> {
  const app = await playgroundApp();
  assert.equal((await app.with({}).get(path)).status, status);
  const { spans } = await eventually(
    () => debug<{ spans: Span[] }>(app, "spans?since=5m"),
    (response) =>
      response.spans.some((span) => span.name === name && span.attributes["http.status_code"] === status),
  );
  const root = spans.find((span) => span.name === name && span.attributes["http.status_code"] === status)!;
  return [root, ...spans.filter((span) => span["parentSpanId"] === root["spanId"])];
}

export const spans: Section = {
  number: "6.3",
  title: "Spans",
  statements: [
    {
      title: "traceId has 32 hexadecimal characters and spanId 16",
      test: async () => {
        for (const { traceId, spanId } of await spansOf("/context", "GET /context", 200)) {
          assert.match(String(traceId), /^[0-9a-f]{32}$/);
          assert.match(String(spanId), /^[0-9a-f]{16}$/);
        }
      },
    },
    {
      title: "a request has a root span with child spans for middleware, handler, serialization and writing",
      test: async () => {
        const [, ...children] = await spansOf("/context", "GET /context", 200);
        assert.deepEqual(
          children.map(({ name }) => name).filter((name) => !name.startsWith("validation:")),
          ["middleware:first", "middleware:outer", "handler", "serialization", "server:write"],
        );
      },
    },
    {
      title: "each validation has a child span",
      provenBy: at(observed, "spans have their names, attributes and status"),
    },
    {
      title: "params, query and body have a child span each, even if the contract does not have them",
      test: async () => {
        const [, ...children] = await spansOf("/context", "GET /context", 200);
        for (const slot of ["params", "query", "body"])
          assert.ok(
            children.some(({ name }) => name === `validation:${slot}`),
            `validation:${slot} is missing`,
          );
      },
    },
    {
      title: "the kind of the root span is server, and that of the other spans is internal",
      test: async () => {
        const [root, ...children] = await spansOf("/context", "GET /context", 200);
        assert.equal(root["kind"], "server");
        assert.ok(children.every(({ kind }) => kind === "internal"));
      },
    },
    {
      title: "startTime and endTime of a span are in ISO 8601, and durationMs is a number",
      test: async () => {
        for (const span of await spansOf("/context", "GET /context", 200)) {
          for (const name of ["startTime", "endTime"])
            assert.equal(new Date(String(span[name])).toISOString(), span[name]);
          assert.equal(typeof span["durationMs"], "number");
        }
      },
    },
    {
      title: "the status of a span is ok for successful phases and error for failed ones",
      test: async () => {
        const [well] = await spansOf("/context", "GET /context", 200);
        assert.equal(well["status"], "ok");
        const [failed, ...children] = await spansOf("/fail/app", "GET /fail/:how", 418);
        assert.equal(failed["status"], "error");
        assert.equal(children.find(({ name }) => name === "handler")?.["status"], "error");
      },
    },
    {
      title: "the root span has http.method, http.route and http.status_code",
      test: async () => {
        const [root] = await spansOf("/files/a", "GET /files/:filename", 200);
        assert.deepEqual(root.attributes, {
          "http.method": "GET",
          "http.route": "/files/:filename",
          "http.status_code": 200,
        });
      },
    },
    {
      title: "the root span has error.message if the status is 400 or above",
      test: async () => {
        const [root] = await spansOf("/fail/app", "GET /fail/:how", 418);
        assert.equal(root.attributes["error.message"], "There is no tea");
      },
    },
    {
      title: "handlers can add attributes to their span",
      test: async () => {
        const [, ...children] = await spansOf("/context", "GET /context", 200);
        assert.deepEqual(children.find(({ name }) => name === "handler")?.attributes, {
          "playground.answer": 42,
        });
      },
    },
    {
      title: "the parent of the root span is the span of the client, if the request names one",
      provenBy: at(
        "packages/core/test/observe.test.ts",
        "continues the trace of a client that sent traceparent",
      ),
    },
    {
      title: "the exporters are console, OTLP and none",
      provenBy: at(
        "packages/otel/test/failures.test.ts",
        "`none` sends nothing and counts everything as exported",
        "`console` prints spans to standard output",
      ),
    },
    {
      title: "OTLP requests go to /v1/traces and /v1/logs",
      provenBy: at(
        "packages/otel/test/otel.test.ts",
        "exports the spans of a request, spans of other instrumentation, and log entries of the request",
      ),
    },
  ],
};

export const lifecycle: Section = {
  number: "6.4",
  title: "Lifecycle trace",
  statements: [
    {
      title: "a lifecycle trace has traceId, route, server, lifecycle and totalMs",
      provenBy: at(
        "packages/core/test/pipeline.test.ts",
        "are recorded in order, with the results of validation and the status",
      ),
    },
    {
      title:
        "a phase has phase, timestamp and durationMs, a validation also a result, and the response a status",
      test: async () => {
        const app = await playgroundApp();
        await app.with({}).post("/names", { name: "abc" });
        const { requests } = await eventually(
          () => debug<{ requests: (Json & { lifecycle: Json[] })[] }>(app, "requests?route=POST%20/names"),
          (response) => response.requests.length > 0,
        );
        const { lifecycle: phases } = requests[0]!;
        for (const { phase, timestamp, durationMs } of phases) {
          assert.equal(typeof phase, "string");
          assert.equal(new Date(String(timestamp)).toISOString(), timestamp);
          assert.ok(Number(durationMs) >= 0);
        }
        assert.equal(phases.find(({ phase }) => phase === "validation:body")?.["result"], "pass");
        assert.equal(phases.at(-1)?.["status"], 201);
      },
    },
    {
      title: "an error that is thrown leads to a response, marks its span, and is stored for the sidecar",
      test: async () => {
        const app = await playgroundApp();
        const [root] = await spansOf("/fail/conflict", "GET /fail/:how", 409);
        const { errors } = await debug<{ errors: Json[] }>(app, "errors");
        assert.ok(errors.some(({ traceId, code }) => traceId === root["traceId"] && code === "CONFLICT"));
      },
    },
    {
      title: "an error that is thrown is logged at level error, even if its status is below 500",
      test: async () => {
        const app = await playgroundApp();
        const answer = await app.with({}).get<{ error: Json }>("/fail/app");
        // Entries are written in order, so after this later error the first one has been written.
        const last = await app.with({}).get<{ error: Json }>("/fail/unknown");
        await eventually(
          () => entriesOf(app).map(({ traceId }) => traceId),
          (ids) => ids.includes(last.body.error["traceId"]),
        );
        const entry = entriesOf(app).find(({ traceId }) => traceId === answer.body.error["traceId"]);
        assert.equal(entry?.["level"], "error");
      },
    },
    {
      title: "an unknown error is logged at level error",
      test: async () => {
        const app = await playgroundApp();
        const { body } = await app.with({}).get<{ error: Json }>("/fail/unknown");
        const entry = await eventually(
          () => entriesOf(app).find(({ traceId }) => traceId === body.error["traceId"]),
          (found) => found !== undefined,
        );
        assert.equal(entry?.["level"], "error");
      },
    },
  ],
};
