import assert from "node:assert/strict";
import { type AppOptions, createApp, type LogLevel } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { entriesOf, eventually, inspect, type Json } from "../read.ts";
import { playground, playgroundApp, startPlayground } from "../projects.ts";
import { at, type Section, type Statement } from "../statement.ts";

/** Asserts that options are refused with a message that matches. */
const refuses = (options: object, message: RegExp) => (): void => {
  const all = { server: nativeServer(), routes: [], ...options } as unknown as AppOptions;
  assert.throws(() => createApp(all), message);
};

const levels: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error", "fatal"];

/** Returns the levels of the log entries that `GET /log` of the playground writes, except the entry without data. */
async function loggedAt(level: LogLevel): Promise<unknown[]> {
  const app = await startPlayground({ app: { logging: { level } } });
  await app.with({}).get("/log");
  await app.stop();
  return entriesOf(app)
    .filter(({ message }) => String(message).startsWith("at "))
    .map((entry) => entry["level"]);
}

const levelStatements = levels.map((level, index): Statement => ({
  title: `logging.level ${level} writes entries of ${level} and above`,
  test: async () => assert.deepEqual(await loggedAt(level), levels.slice(index)),
}));

export const application: Section = {
  number: "2.6",
  title: "Application factory",
  statements: [
    {
      title: "server is a server adapter",
      test: refuses({ server: undefined }, /`server` must be a server adapter/),
    },
    { title: "routes is a list of groups", test: refuses({ routes: {} }, /routes/) },
    { title: "an option that is not known is refused", test: refuses({ rutes: [] }, /rutes/) },
    {
      title: "middleware in the option middleware runs for every route",
      test: async () => {
        const routes = await inspect<Json[]>(await playground(), "routes", "--verbose");
        for (const { middleware } of routes as { middleware: string[] }[]) {
          assert.ok(middleware.includes("first") && middleware.includes("outer"), middleware.join(", "));
        }
      },
    },
    {
      title: "plugins are started with the application and stopped with it",
      provenBy: at(
        "packages/core/test/app.test.ts",
        "hooks of plugins run in the order of the list, and onStop runs in reverse order",
      ),
    },
    ...levelStatements,
    {
      title: "an unknown word as logging.level is refused",
      test: refuses({ logging: { level: "loud" } }, /logging\.level/),
    },
    {
      title: "logging.redact hides the properties that match its patterns",
      test: async () => {
        const app = await playgroundApp();
        await app.with({}).get("/log");
        const found = await eventually(
          () => entriesOf(app).find(({ message }) => message === "at info"),
          (entry) => entry !== undefined,
        );
        assert.deepEqual(found?.["data"], { level: "info", card: { pin: "[redacted]" } });
      },
    },
    {
      title: "telemetry has the options tracing, metrics, exporter, endpoint and serviceName",
      provenBy: at(
        "packages/core/test/telemetry.test.ts",
        "has defaults, and exports log entries if traces or metrics are exported",
      ),
    },
    {
      title: "telemetry.exporter may be otlp or console",
      provenBy: at(
        "packages/otel/test/failures.test.ts",
        "`console` prints spans to standard output",
        "`none` sends nothing and counts everything as exported",
      ),
    },
    {
      title: "an unknown telemetry.exporter is refused",
      test: refuses({ telemetry: { tracing: true, exporter: "zipkin" } }, /telemetry\.exporter/),
    },
    {
      title: "listen({ port }) returns a promise that resolves when the application listens",
      provenBy: at(
        "packages/core/test/app.test.ts",
        "listen resolves to the address of the server, and close passes the grace period to the server",
      ),
    },
    {
      title: "start() listens like listen()",
      test: async () => {
        const app = await startPlayground({ app: { start: true } });
        assert.equal((await app.with({}).get("/context")).status, 200);
        await app.stop();
      },
    },
    {
      title: "getNativeServer() returns the instance of the wrapped framework",
      provenBy: [
        ...at(
          "packages/server-express/test/express.test.ts",
          "runs native routes and middleware first, and kit serves the rest",
        ),
        ...at(
          "packages/server-fastify/test/fastify.test.ts",
          "runs native routes first, kit serves the rest, and hooks see all requests",
        ),
        ...at(
          "packages/server-hono/test/hono.test.ts",
          "runs native routes and middleware first, and kit serves the rest",
        ),
      ],
    },
    {
      title: "a group has handlers, and may have a prefix and middleware of its own",
      test: async () => {
        const route = await inspect(await playground(), "route", "GET /admin/users");
        assert.deepEqual(route["middleware"], ["first", "inner", "outer"]);
        assert.equal((route["handler"] as Json)["export"], "adminHandlers");
      },
    },
    {
      title: "a group without handlers is refused",
      test: refuses({ routes: [{ prefix: "/a" }] }, /routes\[0\]\.handlers/),
    },
    {
      title: "the prefix of a group comes before the path of each of its routes",
      test: async () =>
        assert.equal((await (await playgroundApp()).with({}).get("/admin/users")).status, 200),
    },
    {
      title: "a path that already begins with the prefix does not get it twice",
      test: async () => {
        const api = (await playgroundApp()).with({});
        assert.equal((await api.get("/admin/roles")).status, 200);
        assert.equal((await api.get("/admin/admin/roles")).status, 404);
      },
    },
    {
      title: "a middleware entry has name, middleware and priority, and a lower priority runs first",
      test: async () => {
        const { body } = await (await playgroundApp()).with({}).get("/admin/users");
        assert.deepEqual(body, { words: ["first", "inner", "outer"] });
      },
    },
    {
      title: "a middleware entry without a name or with a priority that is not a number is refused",
      provenBy: at("packages/core/test/app.test.ts", "throws a TypeError that names the invalid option"),
    },
  ],
};
