// Tests of log entries for failed requests: thrown errors, and refused requests.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AppOptions, createApp, type LogEntry } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { compiled, objectOf, paramsOf, responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { json, serve, type Served } from "./support/serve.ts";

const get = route("GET /notes/:id", {
  params: paramsOf("NoteId", { id: "number" }),
  response: responseOf("Note", { id: "string" }),
  middleware: ["gate"],
});
const post = route("POST /notes", { body: objectOf("NewNote", { title: "string" }), middleware: ["gate"] });

function application(logging: NonNullable<AppOptions["logging"]> = {}): Promise<Served> {
  return serve(
    [
      [
        get,
        async ({ params }) => {
          throw new NotFoundError("NOTE_NOT_FOUND", `There is no note ${String(params["id"])}`, {
            id: params["id"],
          });
        },
      ],
      [post, ({ ctx }) => ctx.fail(409, "TAKEN", "Taken")],
    ],
    {
      logging: { level: "info", ...logging },
      middleware: [
        {
          name: "gate",
          middleware: ({ headers, ctx }) =>
            headers["x-user"] === undefined ? ctx.fail(401, "UNAUTHORIZED", "Who are you?") : undefined,
          priority: 0,
        },
      ],
    },
  );
}

const user = { headers: { "x-user": "ada" } };
const linesOf = (log: readonly LogEntry[]): string[] =>
  log.map(({ level, message, phase }) => `${level} ${phase}: ${message}`);

function placeOf({ level, route: ref, phase, data }: LogEntry): unknown[] {
  const { status, method, path } = data as Record<string, unknown>;
  return [level, ref, phase, status, method, path];
}

describe("a thrown error with a status below 500", () => {
  it("is logged at the level error, from middleware and from handlers", async () => {
    const { send, log } = await application();
    await send("GET /notes/1");
    await send("GET /notes/1", user);
    await send("POST /notes", { ...json({ title: "x" }), headers: { ...json({}).headers, "x-user": "ada" } });
    assert.deepEqual(linesOf(log), [
      "error middleware:gate: Who are you?",
      "error handler: There is no note 1",
      "error handler: Taken",
    ]);
    const { status, error } = log[1]!.data as { status: number; error: Record<string, unknown> };
    assert.equal(status, 404);
    assert.equal(error["code"], "NOTE_NOT_FOUND");
    assert.deepEqual({ ...(error["details"] as object) }, { id: 1 });
  });

  it("is logged at the level of logging.clientErrors, if that option is set", async () => {
    for (const clientErrors of ["warn", "info"] as const) {
      const { send, log } = await application({ clientErrors });
      await send("GET /notes/1", user);
      assert.deepEqual(linesOf(log), [`${clientErrors} handler: There is no note 1`]);
    }
    const quiet = await application({ clientErrors: "debug" });
    await quiet.send("GET /notes/1", user);
    assert.deepEqual(quiet.log, []);
  });

  it("is logged every time, without a maximum per minute", async () => {
    const { send, log } = await application();
    for (let count = 0; count < 30; count += 1) await send("GET /notes/1", user);
    assert.equal(log.length, 30);
  });
});

it("createApp refuses a logging.clientErrors that is not a log level", () => {
  const options = { server: new MemoryServer(), routes: [], compiled: compiled() };
  const create = (clientErrors: unknown): unknown =>
    createApp({ ...options, logging: { clientErrors: clientErrors as "warn" } });
  assert.throws(
    () => create("loud"),
    /`logging\.clientErrors` must be one of trace, debug, info, warn, error, fatal/,
  );
  assert.throws(() => create(null), TypeError);
});

describe("a request that the router or the validation refuses", () => {
  it("is logged as a warning with its status, method and path", async () => {
    const { send, log } = await application({ clientErrors: "debug" });
    await send("GET /nowhere?token=1");
    await send("PUT /notes");
    await send("GET /notes/%zz");
    await send("GET /notes/one", user);
    await send("POST /notes", {
      headers: { "x-user": "ada", "content-type": "application/json" },
      body: "{",
    });
    await send("POST /notes", { headers: { "x-user": "ada", "content-type": "text/plain" }, body: "a" });
    assert.deepEqual(log.map(placeOf), [
      ["warn", undefined, "server:normalize", 404, "GET", "/nowhere"],
      ["warn", undefined, "server:normalize", 405, "PUT", "/notes"],
      ["warn", undefined, "server:normalize", 400, "GET", "/notes/%zz"],
      ["warn", "GET /notes/:id", "validation:params", 400, "GET", "/notes/one"],
      ["warn", "POST /notes", "validation:body", 400, "POST", "/notes"],
      ["warn", "POST /notes", "validation:body", 415, "POST", "/notes"],
    ]);
  });

  it("is logged up to ten times a minute for each route and status, and then only counted", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { send, log } = await application();
    for (let count = 0; count < 100; count += 1) await send(`GET /scan/${count}`);
    for (let count = 0; count < 12; count += 1) await send("GET /notes/one", user);
    await send("PUT /notes");
    assert.equal(log.length, 10 + 10 + 1);
    t.mock.timers.tick(60_000);
    assert.deepEqual(
      log
        .slice(21)
        .map(({ level, message, route: ref, data }) => [level, message, ref, { ...(data as object) }]),
      [
        [
          "warn",
          "90 more requests without a matching route were refused with 404 within a minute",
          undefined,
          { status: 404, count: 90 },
        ],
        [
          "warn",
          "2 more requests of GET /notes/:id were refused with 400 within a minute",
          "GET /notes/:id",
          { status: 400, count: 2 },
        ],
      ],
    );
    // A scan that continues is logged as one entry a minute. Single entries are logged again after a minute without
    // any.
    for (let count = 0; count < 50; count += 1) await send(`GET /scan/${count}`);
    assert.equal(log.length, 23);
    t.mock.timers.tick(60_000);
    assert.equal(log.length, 24);
    t.mock.timers.tick(60_000);
    assert.equal(log.length, 24);
    await send("GET /scan");
    assert.equal(log.length, 25);
  });

  it("is counted in a last log entry when the application closes", async () => {
    const server = new MemoryServer();
    const log: LogEntry[] = [];
    const app = createApp({
      server,
      env: "production",
      signals: false,
      compiled: compiled(),
      routes: [],
      plugins: [{ name: "log", onLog: (entry) => void log.push(entry) }],
    });
    await app.listen({ port: 0 });
    for (let count = 0; count < 11; count += 1) await server.send("GET /nowhere");
    await app.close();
    assert.equal(log.length, 11);
    assert.match(log[10]!.message, /^1 more requests without a matching route were refused with 404/);
  });

  it("is not logged if the minimum level of the log is above warn", async () => {
    const { send, log } = await application({ level: "error" });
    await send("GET /nowhere");
    assert.deepEqual(log, []);
  });
});
