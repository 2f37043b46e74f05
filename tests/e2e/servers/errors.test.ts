// Tests the format of error responses, which contain details in development and none in production.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "@kit/dev-database";
import { Client } from "pg";
import type { Answer, Api } from "../support/api.ts";
import { assertError, assertInvalid } from "../support/errors.ts";
import { Project } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";
import { server } from "../support/server.ts";
import { type ErrorJson, UNKNOWN_ID } from "../support/wire.ts";

let project: Project;

/** Path of a test in the project, which a user has written. */
const relatedTest = "test/notes.test.ts";
/** Path of a test that kit generates from the contracts. */
const contractTest = ".kit/tests/NoteRoutes.contract.test.ts";

before(async () => {
  project = await Project.copy();
  await mkdir(join(project.root, "test"));
  await writeFile(join(project.root, relatedTest), "await fetch(`${process.env.URL}/notes`);\n");
  await writeFile(join(project.root, "test/other.test.ts"), 'await fetch("http://localhost/users");\n');
  await project.build();
  await project.kitOk("migrate:apply");
});
after(() => project?.remove());

/** Requests that fail in different ways, with their status and error code. */
const FAILURES: [
  what: string,
  status: number,
  code: string,
  send: (api: Api) => Promise<Answer<ErrorJson>>,
][] = [
  ["unknown path", 404, "NOT_FOUND", (api) => api.get("/nowhere")],
  ["wrong method", 405, "METHOD_NOT_ALLOWED", (api) => api.send("PATCH", "/notes")],
  [
    "bad token",
    401,
    "INVALID_TOKEN",
    (api) => api.send("GET", "/notes", undefined, { authorization: "Bearer :admin" }),
  ],
  ["bad query", 400, "VALIDATION_ERROR", (api) => api.get("/notes?page=0")],
  ["bad body", 400, "VALIDATION_ERROR", (api) => api.post("/notes", { title: "" })],
  [
    "no JSON",
    400,
    "VALIDATION_ERROR",
    (api) => api.send("POST", "/notes", "{", { "content-type": "application/json" }),
  ],
  [
    "wrong type",
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    (api) => api.send("POST", "/notes", "{}", { "content-type": "text/plain" }),
  ],
  ["unknown id", 404, "NOTE_NOT_FOUND", (api) => api.get(`/notes/${UNKNOWN_ID}`)],
];

describe("an error response in development", () => {
  let app: RunningApp;
  before(async () => {
    app = await project.start({ mode: "development" });
  });
  after(() => app.stop());

  for (const [what, status, code, send] of FAILURES) {
    test(`contains details that help to fix the error: ${what}`, async () => {
      const error = assertError(await send(app.as("ada")), status, code);
      assert.equal(error["status"], status);
      assert.equal(error["serverAdapter"], server.adapter);
      assert.ok(Math.abs(Date.parse(String(error["timestamp"])) - Date.now()) < 10_000);
    });
  }

  test("names route, phase and files for a validation error, and suggests a fix", async () => {
    const error = assertInvalid(await app.as("ada").post("/notes", { title: "", content: "c" }), "$.title");
    assert.equal(error["route"], "POST /notes");
    assert.equal(error["phase"], "validation:body");
    // The program in Rust is that of the repository's example. Its sources are links to those of the example
    // on Node.
    const [directory, sources] = server.program === undefined ? ["", "src"] : ["../notes/", "api"];
    const place = await placeOf(`${sources}/notes.routes.ts`, '"POST /notes": RouteContract');
    assert.equal(error["sourceFile"], `${directory}${place.replace(sources, "src")}`);
    // The type of the body has no name, because it is written in the contract itself.
    assert.equal(error["schemaFile"], `${directory}src/notes.routes.ts`);
    assert.deepEqual(error["relatedTests"], server.program === undefined ? [relatedTest, contractTest] : []);
    const [failure] = error["failures"] as { path: string; expected: string; received: string }[];
    assert.equal(failure?.path, "$.title");
    assert.match(failure?.received ?? "", /string/);
  });

  test("GET /openapi.json responds with the OpenAPI document", async () => {
    const answer = await app.with({}).get<{ openapi: string }>("/openapi.json");
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/json\b/);
    assert.match(answer.body.openapi, /^3\.1\./);
  });
});

describe("an error response in production", () => {
  let app: RunningApp;
  before(async () => {
    app = await project.start({ mode: "production" });
  });
  after(() => app.stop());

  for (const [what, status, code, send] of FAILURES) {
    test(`contains only code, message, details and trace id: ${what}`, async () => {
      const answer = await send(app.as("ada"));
      const { details, ...error } = assertError(answer, status, code);
      assert.deepEqual(Object.keys(error).toSorted(), ["code", "message", "traceId"]);
      assert.ok(!answer.text.includes(project.root) && !answer.text.includes("src/"), answer.text);
      for (const field of details?.fields ?? []) {
        for (const key of Object.keys(field)) {
          assert.ok(["path", "expected", "value", "rule", "limit"].includes(key), key);
        }
      }
    });
  }

  test("GET /openapi.json gets the same response as an unknown path", async () => {
    assertError(await app.with({}).get("/openapi.json"), 404, "NOT_FOUND");
  });
});

test("each error response has a different trace id", async () => {
  const app = await project.start();
  const ids = new Set<string>();
  for (let index = 0; index < 50; index += 1) {
    ids.add(assertError(await app.as("ada").get("/nowhere"), 404, "NOT_FOUND").traceId);
  }
  assert.equal(ids.size, 50);
  await app.stop();
});

describe("an error response after the database has failed within a handler", () => {
  test("shows the cause in development", () =>
    withoutTable("development", async (app) => {
      const error = assertError(await app.as("ada").get("/notes"), 500, "INTERNAL_SERVER_ERROR");
      assert.notEqual(error.message, "Internal Server Error");
      assert.match(error.details?.stack ?? "", /notes\.handlers\.ts|handlers\/notes\.rs/);
      assert.ok((error.details?.name ?? "").length > 0);
      assert.equal(error["phase"], "handler");
      if (server.program !== undefined) {
        // Only the compiler of Rust knows the handler of a route. The response names the line that failed
        // instead.
        assert.match(String(error["sourceFile"]), /^src\/handlers\/notes\.rs:\d+$/);
        return;
      }
      const place = await placeOf("src/notes.handlers.ts", '"GET /notes": async');
      assert.equal(error["sourceFile"], place);
      const { handler, relatedTests } = error.details as {
        handler: { file: string; export: string; line: number };
        relatedTests: string[];
      };
      assert.equal(`${handler.file}:${handler.line}`, place);
      assert.equal(handler.export, "noteHandlers");
      // The example in Rust has its own test for this route.
      assert.deepEqual(relatedTests, [relatedTest, "tests/notes.test.ts", contractTest]);
    }));

  test("contains no details in production, but the log contains all of them under the same trace id", () =>
    withoutTable("production", async (app) => {
      const answer = await app.as("ada").get<ErrorJson>("/notes");
      const error = assertError(answer, 500, "INTERNAL_SERVER_ERROR");
      assert.deepEqual(Object.keys(error).toSorted(), ["code", "message", "traceId"]);
      assert.equal(error.message, "Internal Server Error");
      const entry = await logEntry(app, error.traceId);
      assert.equal(entry["level"], "error");
      assert.equal(entry["route"], "GET /notes");
      assert.match(JSON.stringify(entry), /relation|notes/);
    }));
});

/** Returns the location `file:line` of a text that a file of the project contains once. */
async function placeOf(file: string, text: string): Promise<string> {
  const lines = (await readFile(join(project.root, file), "utf8")).split("\n");
  const line = lines.findIndex((candidate) => candidate.includes(text));
  assert.ok(line >= 0, `${file} does not have ${text}`);
  return `${file}:${line + 1}`;
}

/** Waits for the log entry with a trace id, and returns it. */
async function logEntry(app: RunningApp, traceId: string): Promise<Record<string, unknown>> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const line = app.stdout.split("\n").find((text) => text.includes(traceId) && text.endsWith("}"));
    if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
    await new Promise((wake) => setTimeout(wake, 20));
  }
  throw new Error(`no log entry of ${traceId}:\n${app.stdout}`);
}

/** Runs a check while a table is missing, so that the queries of handlers fail unexpectedly. */
async function withoutTable(
  mode: "development" | "production",
  check: (app: RunningApp) => Promise<void>,
): Promise<void> {
  const database = await openDatabase({ root: project.root });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const app = await project.start({ mode });
  try {
    await client.query("ALTER TABLE notes RENAME TO elsewhere");
    await check(app);
    await client.query("ALTER TABLE elsewhere RENAME TO notes");
    assert.equal((await app.as("ada").get("/notes")).status, 200, "it recovers");
  } finally {
    await app.stop();
    await client.end();
    await database.close();
  }
}
