import assert from "node:assert/strict";
import { debug, eventually, type Json } from "../read.ts";
import { notesApp, playgroundApp } from "../projects.ts";
import type { RunningApp } from "../../e2e/support/running-app.ts";
import { at, type Section } from "../statement.ts";

interface Phase {
  readonly phase: string;
  readonly timestamp: string;
  readonly durationMs: number;
  readonly result?: string;
  readonly status?: number;
}

/** Returns the phases of the last request to a route whose response had this status. */
async function lifecycleOf(app: RunningApp, route: string, status: number): Promise<readonly Phase[]> {
  const { requests } = await eventually(
    () =>
      debug<{ requests: (Json & { lifecycle: Phase[] })[] }>(
        app,
        `requests?route=${encodeURIComponent(route)}`,
      ),
    (response) => response.requests.some((request) => request["status"] === status),
  );
  return requests.find((request) => request["status"] === status)!.lifecycle;
}

const namesOf = (phases: readonly Phase[]): string[] => phases.map(({ phase }) => phase);

/** Creates a note. Returns the phases of that request. */
async function written(): Promise<readonly Phase[]> {
  const app = await notesApp();
  assert.equal((await app.as("ada").post("/notes", { title: "t", content: "c" })).status, 201);
  return lifecycleOf(app, "POST /notes", 201);
}

export const phases: Section = {
  number: "3.1",
  title: "Request phases",
  statements: [
    {
      title: "a request with params, query and body passes all phases in their order",
      provenBy: at("tests/conformance/observed.test.ts", "the phases of a request are recorded in order"),
    },
    {
      title: "the first phases are received and server:normalize",
      test: async () =>
        assert.deepEqual(namesOf(await written()).slice(0, 2), ["received", "server:normalize"]),
    },
    {
      title: "each middleware is a phase, in ascending priority, before validation",
      test: async () => {
        const app = await playgroundApp();
        await app.with({}).get("/admin/users");
        const names = namesOf(await lifecycleOf(app, "GET /admin/users", 200));
        assert.deepEqual(
          names.filter((name) => name.startsWith("middleware:")),
          ["middleware:first", "middleware:inner", "middleware:outer"],
        );
        assert.equal(names.indexOf("middleware:first"), 2);
        assert.ok(names.indexOf("middleware:outer") < names.indexOf("handler"));
      },
    },
    {
      title: "validation of the body comes after middleware and before the handler, and its result is pass",
      test: async () => {
        const found = await written();
        const names = namesOf(found);
        assert.ok(names.indexOf("middleware:requireAuth") < names.indexOf("validation:body"));
        assert.equal(names.indexOf("validation:body") + 1, names.indexOf("handler"));
        assert.equal(found.find(({ phase }) => phase === "validation:body")?.result, "pass");
      },
    },
    {
      title:
        "validation of params reports fail for invalid params, and is the last phase before the response is written",
      test: async () => {
        const app = await playgroundApp();
        assert.equal((await app.with({}).get("/typed/x/true")).status, 400);
        const found = await lifecycleOf(app, "GET /typed/:count/:flag", 400);
        const { result } = found.find(({ phase }) => phase === "validation:params")!;
        assert.equal(result, "fail");
        assert.deepEqual(namesOf(found).slice(-3), ["validation:params", "server:write", "response"]);
      },
    },
    {
      title: "validation of the query has the result fail for an invalid query",
      test: async () => {
        const app = await notesApp();
        assert.equal((await app.as("ada").get("/notes?page=0")).status, 400);
        const found = await lifecycleOf(app, "GET /notes", 400);
        assert.equal(found.find(({ phase }) => phase === "validation:query")?.result, "fail");
      },
    },
    {
      title: "params, query and body are phases of each request, even if the contract does not have them",
      test: async () => {
        const names = namesOf(await written());
        for (const slot of ["params", "query", "body"])
          assert.ok(names.includes(`validation:${slot}`), names.join(", "));
      },
    },
    {
      title: "after the handler come serialization, server:write and response",
      test: async () =>
        assert.deepEqual(namesOf(await written()).slice(-4), [
          "handler",
          "serialization",
          "server:write",
          "response",
        ]),
    },
    {
      title: "the phase response contains the status of the response",
      test: async () => assert.equal((await written()).at(-1)?.status, 201),
    },
    {
      title: "a failure in middleware stops the chain and becomes an error response",
      test: async () => {
        const app = await notesApp();
        assert.equal((await app.with({}).get("/notes")).status, 401);
        const names = namesOf(await lifecycleOf(app, "GET /notes", 401));
        assert.deepEqual(names.slice(2), ["middleware:requireAuth", "server:write", "response"]);
      },
    },
    {
      title: "a failure in the handler stops the chain and becomes an error response",
      test: async () => {
        const app = await playgroundApp();
        assert.equal((await app.with({}).get("/fail/app")).status, 418);
        const names = namesOf(await lifecycleOf(app, "GET /fail/:how", 418));
        assert.deepEqual(names.slice(-3), ["handler", "server:write", "response"]);
      },
    },
    {
      title: "a failure in serialization becomes an error response",
      provenBy: at(
        "packages/core/test/errors.test.ts",
        "is 500 in development, with the location of the handler",
      ),
    },
    {
      title: "a handler never gets invalid input",
      provenBy: at("tests/e2e/servers/validation.test.ts", "creates and changes no row"),
    },
  ],
};
