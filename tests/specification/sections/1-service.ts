import assert from "node:assert/strict";
import { errorOf, typeCheck } from "../read.ts";
import { onlyOnce, playground, playgroundApp, startPlayground } from "../projects.ts";
import { at, type Section } from "../statement.ts";

/** Asserts that a package exports functions with these names. */
const exportsOf =
  (load: () => Promise<object>, ...names: readonly string[]): (() => Promise<void>) =>
  async () => {
    const found = (await load()) as Readonly<Record<string, unknown>>;
    for (const name of names) assert.equal(typeof found[name], "function", name);
  };

const checked = onlyOnce(async () => typeCheck(await playground()));

/** Asserts that TypeScript reports no error in a file of the playground. */
const isWellTyped = (file: string) => async (): Promise<void> => {
  const { stdout } = await checked();
  const found = stdout.split("\n").filter((line) => line.startsWith(file));
  assert.deepEqual(found, []);
};

/** Requests that every server must answer equally, except for trace ids and times. */
const requests: readonly (readonly [method: string, path: string, body?: string])[] = [
  ["POST", "/things", '{"name":"abc","count":1,"other":true}'],
  ["POST", "/things", '{"name":"a"}'],
  ["GET", "/typed/5/true?limit=3&since=2026-01-02T03:04:05Z"],
  ["GET", "/typed/x/true"],
  ["GET", "/files/upload"],
  ["GET", "/files/a%20b"],
  ["GET", "/deep/a/b"],
  ["GET", "/fail/app"],
  ["GET", "/fail/unknown"],
  ["GET", "/nowhere"],
  ["DELETE", "/things"],
  ["GET", "/admin/users/"],
];

/** Returns the responses of the playground in production on one adapter. */
async function answersOn(adapter: string): Promise<object[]> {
  const app = await startPlayground({ mode: "production", adapter });
  const answers: object[] = [];
  for (const [method, path, body] of requests) {
    const answer = await app.with({ "content-type": "application/json" }).send(method, path, body);
    const text = answer.text.replaceAll(/"traceId":"[0-9a-f]{32}"/g, '"traceId":""');
    answers.push({
      request: `${method} ${path}`,
      status: answer.status,
      text,
      allow: answer.headers.get("allow"),
    });
  }
  await app.stop();
  return answers;
}

const answersOfNative = onlyOnce(() => answersOn("native"));
const isLikeNative = (adapter: string) => async (): Promise<void> =>
  assert.deepEqual(await answersOn(adapter), await answersOfNative());

export const service: Section = {
  number: "1.1",
  title: "Service",
  statements: [
    {
      title: "a module does not become a route because of its path, only registered routes exist",
      test: async () => {
        // The playground contains `src/routes/hello.ts`, which exports GET.
        const answer = await (await playgroundApp()).with({}).get("/hello");
        assert.equal(answer.status, 404);
        assert.equal(errorOf(answer.body)["code"], "NOT_FOUND");
      },
    },
    {
      title: "the same types give generated files with the same bytes",
      provenBy: at("tests/e2e/build.test.ts", "writes the same bytes in two directories"),
    },
    {
      title: "a second build of the same types changes no file",
      provenBy: at(
        "tests/e2e/build.test.ts",
        "changes nothing if it runs again, and writes the same bytes from scratch",
      ),
    },
    {
      title: "a build creates validators, routes, schemas, an OpenAPI document, tests and a client",
      provenBy: at("tests/e2e/build.test.ts", "writes the files that docs/artifacts.md lists"),
    },
    { title: "handlers respond equally on Express and on the native server", test: isLikeNative("express") },
    { title: "handlers respond equally on Fastify and on the native server", test: isLikeNative("fastify") },
    { title: "handlers respond equally on Hono and on the native server", test: isLikeNative("hono") },
    {
      title: "the response to each request has its own trace id",
      provenBy: at("tests/e2e/servers/errors.test.ts", "each error response has a different trace id"),
    },
    {
      title: "the log entry and the error of a request have the same trace id",
      provenBy: at(
        "tests/e2e/servers/errors.test.ts",
        "contains no details in production, but the log contains all of them under the same trace id",
      ),
    },
    {
      title: "the log entry, the spans and the error of a request have the same trace id",
      provenBy: at(
        "tests/conformance/observed.test.ts",
        "log entries have their properties and levels, respect the minimum level and omit hidden values",
        "spans have their names, attributes and status",
      ),
    },
    {
      title: "the sidecar listens on a port of its own",
      test: async () => {
        const app = await playgroundApp();
        assert.notEqual(await app.debugPort(), app.port);
        assert.equal((await app.with({}).get("/_debug/health")).status, 404);
      },
    },
    {
      title: "without the plugin there is no sidecar",
      test: async () => {
        const app = await startPlayground();
        assert.equal((await app.with({}).get("/context")).status, 200);
        assert.doesNotMatch(app.stdout, /sidecar/);
        await app.stop();
      },
    },
    {
      title: "a Rust server that is generated from the same types responds as the server on Node",
      provenBy: at(
        "tests/differential/notes.test.ts",
        "Notes on Node and in Rust > respond equally in ${mode}",
      ),
    },
  ],
};

export const packages: Section = {
  number: "1.2",
  title: "Packages",
  statements: [
    {
      title: "@kit/core has createApp, defineHandlers, defineMiddleware and createErrorMiddleware",
      test: exportsOf(
        () => import("@kit/core"),
        "createApp",
        "defineHandlers",
        "defineMiddleware",
        "createErrorMiddleware",
      ),
    },
    { title: "@kit/core has the type HandlerInput", test: isWellTyped("src/types-of-core.ts") },
    {
      title: "@kit/types has the types of contracts, adapters and compiled routes",
      test: isWellTyped("src/types-of-types.ts"),
    },
    {
      title: "@kit/errors has AppError and its subclasses",
      test: exportsOf(
        () => import("@kit/errors"),
        "AppError",
        "NotFoundError",
        "ValidationError",
        "UnauthorizedError",
        "ForbiddenError",
        "ConflictError",
      ),
    },
    {
      title: "@kit/server-native has nativeServer",
      test: exportsOf(() => import("@kit/server-native"), "nativeServer"),
    },
    {
      title: "@kit/plugin-debug has debugPlugin",
      test: exportsOf(() => import("@kit/plugin-debug"), "debugPlugin"),
    },
    {
      title: "@kit/otel exports traces, metrics and log entries of an application",
      provenBy: at(
        "packages/otel/test/otel.test.ts",
        "exports the spans of a request, spans of other instrumentation, and log entries of the request",
        "exports metrics",
      ),
    },
    { title: "@kit/cli has defineConfig", test: exportsOf(() => import("@kit/cli"), "defineConfig") },
    {
      title: "@kit/cli has the command kit",
      provenBy: at("packages/cli/test/kit.test.ts", "prints help and version to standard output"),
    },
    {
      title: "@kit/testing has createTestClient, createIntegrationSuite and createFactory",
      test: exportsOf(
        () => import("@kit/testing"),
        "createTestClient",
        "createIntegrationSuite",
        "createFactory",
      ),
    },
    { title: "@kit/client has createClient", test: exportsOf(() => import("@kit/client"), "createClient") },
    {
      title: "createClient<Routes>({ baseUrl }) returns a typed client",
      provenBy: at(
        "tests/client/examples.test.ts",
        "creates, reads, lists, changes and deletes notes, with dates as Date objects",
      ),
    },
    {
      title: "@kit/transform-native contains the compiler that kit build uses",
      provenBy: at(
        "packages/transform-native/test/platform.test.ts",
        "the addon has the version of the package",
      ),
    },
    {
      title: "@kit/plugin-rust-server generates a Rust server",
      provenBy: at(
        "packages/plugin-rust-server/test/rust-server.test.ts",
        "the plugin writes a Rust project, and does not overwrite files of the user",
      ),
    },
  ],
};
