import assert from "node:assert/strict";
import { inspect, type Json } from "../read.ts";
import { notes, notesApp, playground, projectOf } from "../projects.ts";
import { at, type Section } from "../statement.ts";

const flags = "tests/e2e/inspect.test.ts";
const eachFlag = 'work with: inspect ${args.join(" ")}';

const ofNotes = async <T = Json>(...args: readonly string[]): Promise<T> =>
  inspect<T>(await notes(), ...args);

/** Returns the result of a subcommand of `kit inspect` that needs the sidecar of Notes. */
async function running<T = Json>(...args: readonly string[]): Promise<T> {
  return ofNotes<T>(...args, "--debug-port", String(await (await notesApp()).debugPort()));
}

export const inspection: Section = {
  number: "4.6",
  title: "kit inspect",
  statements: [
    { title: "--json and --format json print JSON", provenBy: at(flags, eachFlag) },
    {
      title: "--debug-port sets the port of the sidecar",
      provenBy: at(flags, 'select the port, which the error names: inspect ${args.join(" ")}'),
    },
    {
      title: "the port of the sidecar is 9800 unless --debug-port sets another one",
      test: async () => {
        const { stdout } = await (await playground()).kitOk("inspect", "errors", "--help");
        assert.match(stdout, /9800/);
      },
    },
    { title: "--root names the project", provenBy: at(flags, eachFlag) },
    {
      title: "--verbose and -v print more details",
      provenBy: at("crates/kit-cli/tests/suite/inspect.rs", "lists_routes_with_their_types"),
    },
    {
      title: "subcommands about a build work without a running server",
      test: async () => {
        assert.equal((await inspect<Json[]>(await playground(), "routes", "--debug-port", "1")).length, 19);
      },
    },
    {
      title:
        "subcommands about a running server request data from the sidecar, and report if no sidecar runs",
      provenBy: at("crates/kit-cli/tests/suite/inspect_sidecar.rs", "reports_a_sidecar_that_is_not_running"),
    },
    {
      title: "routes lists method, path, params, query, body and response of each route",
      test: async () => {
        const routes = await ofNotes<Json[]>("routes");
        for (const route of routes)
          assert.deepEqual(Object.keys(route), ["method", "path", "params", "query", "body", "response"]);
        const put = routes.find(({ method }) => method === "PUT");
        assert.deepEqual(put, {
          method: "PUT",
          path: "/notes/:id",
          params: { id: "string" },
          query: null,
          body: "UpdateNoteInput",
          response: "Note",
        });
      },
    },
    {
      title: "route shows one route with middleware and handler",
      test: async () => {
        const route = await ofNotes("route", "GET /notes/:id");
        assert.deepEqual(route["middleware"], ["requireAuth"]);
        assert.partialDeepStrictEqual(route["handler"], {
          file: "src/notes.handlers.ts",
          export: "noteHandlers",
        });
      },
    },
    {
      title: "route --verbose shows the schemas of the route",
      provenBy: at("crates/kit-cli/tests/suite/inspect.rs", "shows_the_location_of_a_routes_handler"),
    },
    {
      title: "middleware lists name, priority and type",
      test: async () => {
        const found = await inspect<Json[]>(await playground(), "middleware");
        assert.deepEqual(
          found.map(({ name, priority, type }) => [name, priority, type]),
          [
            ["first", 1, "global"],
            ["inner", 10, "route"],
            ["outer", 20, "global"],
            ["errorMiddleware", null, "built-in"],
          ],
        );
      },
    },
    {
      title: "dependencies and deps list the packages of kit, each with its own dependencies",
      provenBy: at(flags, "lists the dependencies, under both names of the subject"),
    },
    {
      title:
        "schema shows the properties of a type, with type, rules and tags, and the routes that use the type",
      test: async () => {
        const schema = await ofNotes<Json & { properties: Json[]; usedBy: Json[] }>("schema", "Note");
        assert.equal(schema["name"], "Note");
        const property = (name: string): Json => schema.properties.find((one) => one["name"] === name) ?? {};
        assert.partialDeepStrictEqual(property("title"), { type: "string", maxLength: 200, required: true });
        assert.partialDeepStrictEqual(property("archived"), { type: "boolean", default: false });
        assert.partialDeepStrictEqual(property("createdAt"), { type: "Date", format: "date-time" });
        assert.partialDeepStrictEqual(property("id"), { tags: ["@id", "@generated uuid"] });
        assert.ok(schema.usedBy.some(({ route, as }) => route === "GET /notes/:id" && as === "response"));
      },
    },
    {
      title: "the tags of a property include its validation tags",
      test: async () => {
        const { properties } = await ofNotes<{ properties: { name: string; tags: string[] }[] }>(
          "schema",
          "Note",
        );
        const { tags } = properties.find(({ name }) => name === "title")!;
        for (const tag of ["@minLength 1", "@maxLength 200"])
          assert.ok(tags.includes(tag), `${tag} is not among ${tags.join(", ")}`);
      },
    },
    {
      title:
        "build-pipeline shows the hooks, the functions registered for them, the status of the last build and the output directory",
      test: async () => {
        const pipeline = await ofNotes<Json & { hooks: Json[] }>("build-pipeline");
        for (const hook of pipeline.hooks) {
          assert.equal(typeof hook["order"], "number");
          assert.ok(String(hook["description"]).length > 0);
        }
        assert.deepEqual(pipeline["registeredTaps"], []);
        assert.equal(pipeline["outputDir"], ".kit");
        assert.equal(pipeline["lastBuildStatus"], "cached");
      },
    },
    {
      title: "build-pipeline reports if the project has never been built",
      test: async () => {
        const project = await projectOf({ "package.json": '{ "name": "new", "type": "module" }' });
        assert.equal((await inspect(project, "build-pipeline"))["lastBuildStatus"], "none");
      },
    },
    {
      title: "build-pipeline shows hookName, tapName and order of each registered function",
      provenBy: at(
        "packages/cli/test/plugins.test.ts",
        "a plugin adds a type, changes another type, adds a validator and emits files",
      ),
    },
    {
      title: "errors lists timestamp, traceId, code, status, message, route, phase and details",
      test: async () => {
        await (await notesApp()).as("ada").get("/notes/none");
        const [error] = await running<Json[]>("errors", "--last", "1");
        for (const name of ["timestamp", "traceId", "code", "status", "message", "route", "phase", "details"])
          assert.ok(Object.hasOwn(error!, name), name);
        assert.deepEqual([error!["code"], error!["route"]], ["NOTE_NOT_FOUND", "GET /notes/:id"]);
      },
    },
    {
      title: "errors shows 10 errors unless --last sets another number",
      test: async () => {
        const ada = (await notesApp()).as("ada");
        for (let count = 0; count < 12; count += 1) await ada.get("/notes/none");
        assert.equal((await running<Json[]>("errors")).length, 10);
        assert.equal((await running<Json[]>("errors", "--last", "12")).length, 12);
      },
    },
    {
      title: "performance shows route, p50, p95, p99, count and avgMs of a route",
      test: async () => {
        await (await notesApp()).as("ada").get("/notes");
        const figures = await running("performance", "--route", "/notes");
        assert.equal(figures["route"], "/notes");
        for (const name of ["p50", "p95", "p99", "count", "avgMs"])
          assert.ok(Number(figures[name]) > 0, name);
      },
    },
    {
      title: "performance shows the route / unless --route names another one",
      test: async () => assert.equal((await running("performance"))["route"], "/"),
    },
    {
      title: "server shows adapter, platform, status, port and host",
      test: async () => {
        const { platform, ...rest } = await running("server");
        assert.ok(String(platform).length > 0);
        assert.deepEqual(rest, {
          adapter: "native",
          status: "ok",
          port: (await notesApp()).port,
          host: "127.0.0.1",
        });
      },
    },
  ],
};
