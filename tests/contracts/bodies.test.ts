// Runs the generated contract tests of the program `bodies`, whose bodies are not JSON, against an application that keeps
// its contract, and against applications that break it.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { join } from "node:path";
import { cp, rm } from "node:fs/promises";

import { createIntegrationSuite, type RouteTable } from "@kit/testing";
import {
  type AnyHandlers,
  type App,
  type BaseContext,
  createApp,
  download,
  type RequestContext,
} from "@kit/core";
import { expressServer } from "@kit/server-express";

import { createClient } from "../../crates/kit-emit/tests/goldens/bodies/client/index.ts";
import { bodyOptions } from "../conformance/bodies-application.ts";
import { type Ran, runContractTests, runRandomRequests } from "./run-contract-tests.ts";
import { contractsIn, copiedGoldens, tablesIn } from "./tables.ts";

const root = await copiedGoldens();
after(() => rm(root, { recursive: true, force: true }));
const directory = join(root, "bodies");
const tables = await tablesIn(directory);
const contracts = await contractsIn(directory);

const MIB = 1024 * 1024;

/** Runs the contract tests of an application, and returns the names of the tests that passed and that failed. */
function runAgainst(app: unknown, routes: readonly RouteTable[] = tables): Promise<Ran> {
  return runContractTests(app, { group: "PhotoRoutes", contracts, directory, routes });
}

/** Creates the application, with other handlers for some routes. `bodyBytes` is the limit of all bodies. */
function application(changed: AnyHandlers = {}, bodyBytes?: number): App {
  const options = bodyOptions();
  const [first] = options.routes!;
  // These requests have texts that the handlers of the conformance tests cannot show in a header.
  const quiet: AnyHandlers = {
    "POST /sessions": () => undefined,
    "POST /comments": () => undefined,
    "POST /photos": () => ({ id: "6f1d2c3b-0a9e-4f8d-8c7b-6a5d4e3f2a1b", title: "Harbour" }),
  };
  const handlers = { ...first!.handlers, ...quiet, ...changed };
  // The default limit is less than the maximum size of a photo.
  const photos = bodyBytes === undefined ? { "POST /photos": { limits: { bodyBytes: 8 * MIB } } } : {};
  return createApp({
    ...options,
    ...(bodyBytes !== undefined && { limits: { bodyBytes } }),
    server: expressServer(),
    routes: [{ handlers: handlers as never, on: photos as never }],
  });
}

test("random forms, parts and lines that are valid are accepted, and all others are refused", async () => {
  const group = { group: "PhotoRoutes", contracts, directory, routes: tables };
  const { passed, failed, skipped } = await runRandomRequests(application(), 40, group);
  assert.deepEqual([...failed], []);
  assert.deepEqual([...skipped], []);
  for (const route of ["POST /sessions", "POST /photos", "POST /imports"]) {
    assert.ok(passed.includes(`${route}: takes 40 random requests`), route);
    assert.ok(passed.includes(`${route}: refuses 40 random requests`), route);
  }
});

test("an application whose responses match its contract passes all tests of bodies that are not JSON", async () => {
  const { passed, failed } = await runAgainst(application());
  assert.deepEqual([...failed], []);
  for (const name of [
    "POST /photos: refuses body $.photo: missing",
    "POST /photos: refuses body $.photo: 5242881 bytes (maximum 5242880)",
    "POST /photos: refuses body $.more: 4 files (maximum 3)",
    "POST /photos: refuses body $.more[0]: a text instead of a file",
    "POST /photos: refuses body $: without its last boundary",
    "POST /sessions: refuses application/x-kit-other",
    "POST /imports: refuses a line that is not JSON",
    "POST /tables: refuses bytes that are not UTF-8",
    "GET /events: answers a valid request",
    "GET /books: answers a valid request",
    "GET /film: answers a range of the first byte",
    "GET /film: refuses a range after the end",
    "GET /film: answers HEAD like GET, without the body",
  ])
    assert.ok(passed.includes(name), name);
});

/** Answers with a page. */
function html({ ctx }: { ctx: { send(body: string, options: object): unknown } }): unknown {
  return ctx.send("<p>", { headers: { "content-type": "text/html" } });
}

test("a response that breaks the format, a line or an event of its contract fails the test", async () => {
  const routes = tables.filter(({ route }) => route.startsWith("GET ") && route !== "GET /report");
  const wrong = await runAgainst(
    application({
      "GET /table": html,
      "GET /image": html,
      "GET /books": html,
      "GET /events": async function* () {
        yield { event: "progress", data: { percent: 10 } };
        yield { event: "progress", data: { percent: "half" } };
      },
    }),
    routes,
  );
  const reasons = routes.map(
    ({ route }) => wrong.failed.get(`${route}: answers a valid request`) ?? "passed",
  );
  for (const [index, reason] of [
    /text\/plain.*expected text\/csv/,
    /image\/png/,
    /application\/jsonl/,
    /GET \/events broke off/,
  ].entries())
    assert.match(reasons[index] ?? "", reason);
});

test("a download without ranges fails the tests of ranges", async () => {
  const routes = tables.filter(({ route }) => route === "GET /film");
  const digits = Buffer.from("0123456789");
  const { passed, failed } = await runAgainst(
    application({
      "GET /film": ({ ctx }: { ctx: RequestContext }) => ctx.send(digits, { contentType: "video/mp4" }),
    }),
    routes,
  );
  assert.deepEqual(
    [...failed.keys()],
    ["GET /film: answers a range of the first byte", "GET /film: refuses a range after the end"],
  );
  assert.ok(passed.includes("GET /film: answers HEAD like GET, without the body"));
});

/** Names of the tests of a download. */
const downloadTests = [
  "GET /film: answers a range of the first byte",
  "GET /film: refuses a range after the end",
  "GET /film: answers HEAD like GET, without the body",
];

/** Runs the tests of the download of an application. `errors` are the declared errors of the route. */
function runFilm(film: AnyHandlers[string], errors: readonly string[] = []): Promise<Ran> {
  const table = tables.find(({ route }) => route === "GET /film")!;
  return runAgainst(application({ "GET /film": film }), [{ ...table, errors }]);
}

function notFound({ ctx }: { ctx: RequestContext }): never {
  return ctx.fail(404, "FILM_NOT_FOUND", "There is no film");
}

test("the tests of a download are skipped if the route answers with a declared error", async () => {
  const { failed, skipped } = await runFilm(notFound, ["404 FILM_NOT_FOUND"]);
  assert.deepEqual([...failed], []);
  const reason = "the response is an error: add a fixture for the route";
  assert.deepEqual(
    [...skipped],
    downloadTests.map((name) => [name, reason]),
  );
});

test("the tests of a download fail if the route answers with an undeclared error", async () => {
  const { failed } = await runFilm(notFound);
  for (const name of downloadTests) assert.match(failed.get(name) ?? "passed", /404 FILM_NOT_FOUND/);
});

test("the tests of ranges are skipped if the download is empty", async () => {
  const { passed, failed, skipped } = await runFilm(() => download(Buffer.alloc(0)));
  assert.deepEqual([...failed], []);
  const reason = "the download is empty: add a fixture of a download with bytes";
  assert.deepEqual(
    [...skipped],
    downloadTests.slice(0, 2).map((name) => [name, reason]),
  );
  assert.ok(passed.includes(downloadTests[2]!));
});

test("the tests of limits are skipped, with the reason, if no request can show the limit", async () => {
  const routes = tables.filter(({ route }) => ["POST /photos", "POST /imports"].includes(route));
  const limited = async (bodyBytes: number): Promise<unknown> => {
    const { failed, skipped } = await runAgainst(application({}, bodyBytes), routes);
    assert.deepEqual([...failed], []);
    return Object.fromEntries(skipped);
  };
  const tooLarge = "the limit of the body is too large to send more";
  assert.deepEqual(await limited(16 * MIB + 1), {
    "POST /photos: refuses a body that is too large": tooLarge,
    "POST /imports: refuses a body that is too large": tooLarge,
  });
  assert.deepEqual(await limited(5 * MIB), {
    "POST /photos: refuses body $.photo: 5242881 bytes (maximum 5242880)":
      "the limit of the whole body is less than that of the file",
  });
});

test("the generated client and the server agree about every format", async () => {
  const app = application({
    "POST /photos": async ({ body }: { body: { title: string; photo: File; more?: File[] } }) => ({
      id: "6f1d2c3b-0a9e-4f8d-8c7b-6a5d4e3f2a1b",
      title: `${body.title} ${await body.photo.slice(3).text()} ${body.more?.length}`,
    }),
  });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  try {
    const api = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const photo = new File([new Uint8Array([0xff, 0xd8, 0xff]), "pixels"], "a.jpg", { type: "image/jpeg" });
    const album = { name: "x", opened: new Date(0) };
    const added = await api.post("/photos", { body: { title: "t", album, photo, more: [photo, photo] } });
    assert.equal(added.title, "t pixels 2");
    await api.post("/sessions", { body: { email: "a@b.c", count: 2, topics: ["news"] } });
    await api.post("/images", { body: new Uint8Array([1]), contentType: "image/gif" });
    const books = [1, 2].map((pages) => ({ title: "a", pages, printed: new Date(0) }));
    assert.deepEqual(await api.post("/imports", { body: books }), { imported: 3 });
    const refused = await api.post("/files", { body: { file: new Blob(["x".repeat(1001)]) } }).result();
    assert.ok(!refused.ok && refused.error.code === "VALIDATION_ERROR");
    assert.equal(refused.error.details?.fields[0]?.rule, "maxBytes");
    assert.equal(await api.get("/table"), "title\nBücher\n");
    const part = await api.get("/film", { range: { first: 2, last: 4 } }).result();
    assert.ok(part.ok && part.response.status === 206);
    assert.equal(Buffer.from(part.data).toString(), "234");
    const tag = part.response.headers.get("etag")!;
    const rest = await api.get("/film", { range: { first: 5, tag } }).result();
    assert.ok(rest.ok && rest.response.status === 206);
    assert.equal(Buffer.from(rest.data).toString(), "56789");
    const whole = await api.get("/film", { range: { first: 5, tag: '"other"' } }).result();
    assert.ok(whole.ok && whole.response.status === 200);
    assert.equal(Buffer.from(whole.data).toString(), "0123456789");
    const none = await api.get("/film", { range: { first: 10 } }).result();
    assert.ok(!none.ok && none.error.status === 416);
    const read: Date[] = [];
    for await (const book of await api.get("/books")) read.push(book.printed);
    assert.ok(read.length === 2 && read.every((printed) => printed instanceof Date));
    const events: [event: string, id: string][] = [];
    for await (const event of await api.get("/events", { retry: false }))
      events.push([event.event, event.id]);
    assert.deepEqual(events, [
      ["progress", ""],
      ["done", "7"],
      ["stopped", "7"],
    ]);
  } finally {
    await app.close({ delayMs: 0, graceMs: 0 });
  }
});

test("a suite ends a response after `readMs`, and leaves out its headers with `defaultHeaders: false`", async (t) => {
  const project = join(root, "project");
  await cp(directory, join(project, ".kit"), { recursive: true });
  const handlers: AnyHandlers = {
    "GET /events": async function* ({ ctx }: { ctx: BaseContext }) {
      yield { event: "progress", data: { percent: 1 }, id: ctx.headers["x-user"] ?? "nobody" };
      await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
    },
  };
  const suite = await createIntegrationSuite({
    app: async () => ({ app: application(handlers) }),
    headers: { "x-user": "ada" },
    root: project,
    database: false,
    after: (close) => t.after(close),
  });
  const { text } = await suite.request("GET /events", { readMs: 300 });
  assert.match(text, /^id: ada$/m);
  const other = await suite.request("GET /events", { readMs: 300, defaultHeaders: false });
  assert.match(other.text, /^id: nobody$/m);
});
