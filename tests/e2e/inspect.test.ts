// Tests `kit inspect` with the artifacts of a build: each subject as JSON, each global option, and wrong
// arguments.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Project } from "./support/project.ts";

let project: Project;
before(async () => {
  project = await Project.copy();
  await project.kitOk("build", "--no-compile");
});
after(() => project.remove());

async function inspect(...args: string[]): Promise<unknown> {
  const { stdout, stderr } = await project.kitOk("inspect", ...args);
  assert.equal(stderr, "");
  return JSON.parse(stdout) as unknown;
}

/** Routes in the order of the source. */
const ENDPOINTS = ["POST /notes", "GET /notes", "GET /notes/:id", "PUT /notes/:id", "DELETE /notes/:id"];

describe("kit inspect with the artifacts of a build", () => {
  test("lists the routes", async () => {
    const routes = (await inspect("routes", "--json")) as Record<string, unknown>[];
    assert.deepEqual(
      routes.map(({ method, path }) => `${String(method)} ${String(path)}`),
      ENDPOINTS,
    );
    const [post, list, get, put, remove] = routes;
    assert.partialDeepStrictEqual(post, {
      params: {},
      query: null,
      body: "PostNotesBody",
      response: "Note",
    });
    assert.equal(list!["body"], null);
    assert.equal(list!["response"], "PaginatedResponseOfNoteSummary");
    assert.deepEqual(get!["params"], { id: "string" });
    assert.equal(put!["body"], "UpdateNoteInput");
    assert.deepEqual([remove!["body"], remove!["response"]], [null, null]);
  });

  test("shows one route", async () => {
    const route = (await inspect("route", "POST /notes", "--json")) as Record<string, unknown>;
    assert.partialDeepStrictEqual(route, {
      method: "POST",
      path: "/notes",
      body: "PostNotesBody",
      middleware: ["requireAuth"],
      handler: { file: "src/notes.handlers.ts", export: "noteHandlers" },
    });
  });

  test("lists the middleware", async () => {
    const middleware = (await inspect("middleware", "--json")) as {
      name: string;
      priority: unknown;
      type: string;
    }[];
    for (const entry of middleware) {
      assert.equal(typeof entry.name, "string");
      assert.ok(["global", "route", "registered", "built-in"].includes(entry.type), entry.type);
    }
    const auth = middleware.find(({ name }) => name === "requireAuth");
    assert.equal(auth?.priority, 10);
    assert.equal(middleware.find(({ name }) => name === "errorMiddleware")?.type, "built-in");
  });

  test("lists the dependencies, under both names of the subject", async () => {
    const packages = (await inspect("dependencies", "--json")) as { name: string; dependsOn: string[] }[];
    assert.deepEqual(await inspect("deps", "--json"), packages);
    const core = packages.find(({ name }) => name === "@kit/core");
    assert.ok(core?.dependsOn.includes("@kit/types"));
    for (const { dependsOn } of packages) for (const name of dependsOn) assert.match(name, /^@kit\//);
  });

  test("shows a schema", async () => {
    const schema = (await inspect("schema", "Note", "--json")) as {
      name: string;
      table: string;
      properties: Record<string, unknown>[];
      usedBy: { route: string; as: string }[];
    };
    assert.deepEqual([schema.name, schema.table], ["Note", "notes"]);
    const property = (name: string): Record<string, unknown> | undefined =>
      schema.properties.find((one) => one["name"] === name);
    assert.partialDeepStrictEqual(property("title"), {
      type: "string",
      minLength: 1,
      maxLength: 200,
      required: true,
    });
    assert.partialDeepStrictEqual(property("archived"), { type: "boolean", default: false });
    assert.partialDeepStrictEqual(property("id"), { tags: ["@id", "@generated uuid"] });
    assert.equal(property("createdAt")?.["format"], "date-time");
    assert.ok(schema.usedBy.some(({ route, as }) => route === "GET /notes/:id" && as === "response"));
    const paging = (await inspect("schema", "PaginatedResponseOfNoteSummary", "--json")) as { name: string };
    assert.equal(paging.name, "PaginatedResponseOfNoteSummary");
  });

  test("shows the build pipeline", async () => {
    const pipeline = (await inspect("build-pipeline", "--json")) as Record<string, unknown>;
    const hooks = pipeline["hooks"] as { name: string; order: number; description: string }[];
    assert.deepEqual(
      hooks.map(({ name }) => name).filter((name) => name !== "compile"),
      ["beforeTransform", "afterTypeParse", "afterValidators", "afterRouteTable", "emit", "done"],
    );
    assert.ok(hooks.every(({ description }) => description !== ""));
    assert.deepEqual(pipeline["registeredTaps"], []);
    assert.equal(pipeline["outputDir"], ".kit");
    assert.equal(typeof pipeline["lastBuildStatus"], "string");
  });
});

describe("global options of kit inspect", () => {
  const commands: readonly (readonly string[])[] = [
    ["routes"],
    ["route", "GET /notes/:id"],
    ["middleware"],
    ["dependencies"],
    ["deps"],
    ["schema", "Note"],
    ["build-pipeline"],
  ];
  for (const args of commands) {
    test(`work with: inspect ${args.join(" ")}`, async () => {
      const json = await inspect(...args, "--json");
      assert.deepEqual(await inspect(...args, "--format", "json"), json);
      assert.deepEqual(await inspect(...args, "--format=json"), json);
      assert.deepEqual(await inspect(...args, "--json", "--root", project.root), json);
      assert.deepEqual(await inspect(...args, "--json", "--debug-port", "9"), json);
      const short = await project.kitOk("inspect", ...args, "-v");
      const long = await project.kitOk("inspect", ...args, "--verbose");
      assert.deepEqual([short.stdout, short.stderr], [long.stdout, ""]);
      assert.ok(short.stdout.length > 0);
    });
  }

  for (const args of [["errors"], ["performance"], ["server"]]) {
    test(`select the port, which the error names: inspect ${args.join(" ")}`, async () => {
      const { code, stdout } = await project.kit(["inspect", ...args, "--json", "--debug-port", "1"]);
      assert.equal(code, 1);
      const failure = JSON.parse(stdout) as {
        code: string;
        failures: { message: string; suggestion: string }[];
      };
      assert.equal(failure.code, "INSPECT_ERROR");
      assert.match(failure.failures[0]!.message, /port 1\b|:1\b/);
      assert.notEqual(failure.failures[0]!.suggestion, "");
    });
  }

  const wrong: readonly (readonly string[])[] = [
    [],
    ["rotes"],
    ["route"],
    ["schema"],
    ["routes", "--format", "yaml"],
    ["routes", "--debug-port", "70000"],
    ["routes", "--debug-port", "many"],
    ["errors", "--last", "-1"],
    ["errors", "--last", "some"],
    ["routes", "more"],
  ];
  for (const args of wrong) {
    test(`are refused if they are wrong: inspect ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await project.kit(["inspect", ...args]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.notEqual(stderr, "");
    });
  }
});
