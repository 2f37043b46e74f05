// Tests the debug sidecar of an application on each server, with the real `kit inspect` and over HTTP.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Api } from "../support/api.ts";
import { Project } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";
import { onServer, server } from "../support/server.ts";
import { UNKNOWN_ID, type NoteJson } from "../support/wire.ts";

/** Program for production, which only these tests start. `app.ts` has a sidecar for development only. */
const production = onServer(`import { createApp } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";
import { nativeServer } from "@kit/server-native";
import { requireAuth } from "./auth.ts";
import { database } from "./database.ts";
import { noteHandlers } from "./notes.handlers.ts";

const auth = { name: "requireAuth", middleware: requireAuth, priority: 10 };
const app = createApp({
  server: nativeServer(),
  routes: [{ prefix: "/notes", handlers: noteHandlers, middleware: [auth] }],
  plugins: [database, debugPlugin({ port: 0, apiKey: "key-of-the-test", redactFields: ["title"] })],
});
const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
console.log("Listening on " + url);
`);

let project: Project;
before(async () => {
  project = await Project.ready();
  await writeFile(join(project.root, "src/production.ts"), production);
});
after(() => project?.remove());

type Json = Record<string, unknown>;

interface Trace {
  readonly name: string;
  readonly attributes: Json;
  readonly children?: readonly Trace[];
}

/** Runs `kit inspect` with `--json`. Returns its output as a value. */
async function inspect<T>(port: number, ...args: string[]): Promise<T> {
  const { stdout } = await project.kitOk("inspect", ...args, "--json", "--debug-port", String(port));
  return JSON.parse(stdout) as T;
}

describe("the sidecar in development", () => {
  let app: RunningApp;
  let sidecar: Api;
  let port: number;
  let noteId: string;
  before(async () => {
    app = await project.start();
    port = await app.debugPort();
    sidecar = new Api(`http://127.0.0.1:${port}`, {});
    const ada = app.as("ada");
    noteId = (await ada.post<NoteJson>("/notes", { title: "t", content: "c" })).body.id;
    for (let count = 0; count < 20; count += 1) await ada.get(`/notes/${noteId}`);
    await ada.post("/notes", { title: "" });
    await ada.get(`/notes/${UNKNOWN_ID}`);
    await app.with({}).get("/notes");
  });
  after(() => app?.stop());

  test("returns the data that kit inspect errors shows", async () => {
    const errors = await inspect<Json[]>(port, "errors");
    assert.deepEqual(
      errors.map(({ status, code, route, phase }) => [status, code, route, phase]),
      [
        [401, "UNAUTHORIZED", "GET /notes", "middleware:requireAuth"],
        [404, "NOTE_NOT_FOUND", "GET /notes/:id", "handler"],
        [400, "VALIDATION_ERROR", "POST /notes", "validation:body"],
      ],
    );
    assert.match(String(errors[1]!["traceId"]), /^[0-9a-f]{32}$/);
    assert.equal((await inspect<Json[]>(port, "errors", "--last", "1")).length, 1);
  });

  test("returns the data that kit inspect performance shows", async () => {
    const figures = await inspect<Record<string, number>>(port, "performance", "--route", "/notes/:id");
    assert.equal(figures["count"], 21);
    const { p50, p95, p99, avgMs } = figures;
    assert.ok(p50! > 0 && p50! <= p95! && p95! <= p99! && avgMs! > 0, JSON.stringify(figures));
    assert.equal((await inspect<Json>(port, "performance"))["count"], 24);
  });

  test("returns the data that kit inspect server shows", async () => {
    const inspected = await inspect<Json>(port, "server");
    const { platform, ...rest } = inspected;
    assert.deepEqual(rest, { adapter: server.adapter, status: "ok", port: app.port, host: "127.0.0.1" });
    assert.ok(String(platform).length > 0);
  });

  test("records a request from its arrival to its end", async () => {
    const { requests } = (await sidecar.get<{ requests: Json[] }>("/_debug/requests?limit=30")).body;
    const { requestId } = requests.find(({ status }) => status === 201)!;
    const { body } = await sidecar.get<{ request: Json }>(`/_debug/requests/${String(requestId)}`);
    const { received, lifecycle, spans } = body.request as {
      received: { body: string };
      lifecycle: { phase: string }[];
      spans: { name: string; attributes: Json }[];
    };
    assert.deepEqual(JSON.parse(received.body), { title: "t", content: "c" });
    assert.equal(lifecycle.at(-1)?.phase, "response");
    assert.equal(spans[0]!.attributes["http.status_code"], 201);
    assert.ok(spans.some(({ name }) => name === "middleware:requireAuth"));
  });

  test("shows queries as children of the handler that sent them, without their values", async () => {
    const { traces } = (await sidecar.get<{ traces: Trace[] }>("/_debug/traces")).body;
    const reads = traces.filter(({ name, attributes }) => {
      return name === "GET /notes/:id" && attributes["http.status_code"] === 200;
    });
    assert.equal(reads.length, 20);
    for (const { children } of reads) {
      const { children: calls = [] } = children!.find(({ name }) => name === "handler")!;
      assert.equal(calls.length, 1);
      assert.equal(calls[0]!.name, "pg SELECT");
      assert.match(String(calls[0]!.attributes["db.query.text"]), /from "notes" where .*\$1/);
      assert.ok(!JSON.stringify(calls).includes(noteId));
    }
  });

  test("reports the number of open connections", async () => {
    const response = await fetch(`${app.url}/notes`, { headers: { authorization: "Bearer ada:user" } });
    await response.text();
    const { connections, requests } = (await sidecar.get<Json>("/_debug/health")).body;
    assert.ok(Number(connections) >= 1, String(connections));
    assert.ok((requests as { answered: number }).answered >= 24);
  });

  test("returns the artifacts of the build like kit inspect", async () => {
    const of = async (path: string): Promise<Json> => {
      const answer = await sidecar.get<Json>(`/_debug/${path}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const middleware = (await of("middleware"))["middleware"] as Json[];
    assert.deepEqual(
      middleware.map(({ name: called, priority, type }) => ({ name: called, priority, type })),
      await inspect(port, "middleware"),
    );
    assert.deepEqual((await of("deps"))["dependencies"], await inspect(port, "dependencies"));
    const { name, properties, usedBy, file } = await of("schema/Note");
    const schema = await inspect<Json>(port, "schema", "Note");
    assert.deepEqual(
      { name, properties, usedBy, file },
      {
        name: schema["name"],
        properties: schema["properties"],
        usedBy: schema["usedBy"],
        file: schema["file"],
      },
    );
    const pipeline = await inspect<Json>(port, "build-pipeline");
    const { hooks, registeredTaps } = await of("build-pipeline");
    assert.deepEqual(
      { hooks, registeredTaps },
      {
        hooks: pipeline["hooks"],
        registeredTaps: pipeline["registeredTaps"],
      },
    );
    const route = await of("routes/PUT/notes/:id");
    assert.deepEqual(route["middleware"], ["requireAuth"]);
    assert.deepEqual(route["validators"], { params: "PutNotesByIdParams", body: "UpdateNoteInput" });
    assert.equal(route["serializer"], "Note");
  });
});

test("the sidecar in production requires the key and hides the values that are configured", async () => {
  const app = await project.start({ mode: "production", args: ["src/production.ts"] });
  const port = await app.debugPort();
  const args = ["inspect", "errors", "--verbose", "--debug-port", String(port)];
  await app.as("ada").post("/notes", { title: 420_042_004_200, content: "c" });
  const stranger = await project.kit(args);
  assert.equal(stranger.code, 1);
  assert.match(stranger.stderr, /401: the header X-Debug-Key is missing\nhelp: .* KIT_DEBUG_KEY/);
  const wrong = await project.kit(args, { env: { KIT_DEBUG_KEY: "key" } });
  assert.match(wrong.stderr, /KIT_DEBUG_KEY must be the `apiKey`/);
  const right = await project.kit(args, { env: { KIT_DEBUG_KEY: "key-of-the-test" } });
  assert.equal(right.code, 0, right.stderr);
  assert.match(right.stdout, /VALIDATION_ERROR[^]*\$\.title/);
  assert.doesNotMatch(right.stdout, /420042004200/);
  assert.deepEqual(await app.stop(), { code: 0, signal: null });
});
