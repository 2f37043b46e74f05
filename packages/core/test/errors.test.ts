import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";

import {
  createErrorMiddleware,
  createApp,
  type ErrorFields,
  type FailedRequest,
  type MiddlewareInput,
} from "@kit/core";
import { AppError, NotFoundError } from "@kit/errors";
import { objectOf, paramsOf, responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { errorOf, json, serve } from "./support/serve.ts";

// Responses in development contain the locations of these files only if the files exist.
const root = realpathSync(mkdtempSync(join(tmpdir(), "kit-errors-")));
process.chdir(root);
process.on("exit", () => rmSync(root, { recursive: true, force: true }));
for (const file of [
  "src/notes.routes.ts",
  "src/notes.handlers.ts",
  "src/notes.types.ts",
  "tests/notes.contract.test.ts",
]) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
}

const get = route("GET /notes/:id", {
  params: paramsOf("NoteId", { id: "string" }),
  response: responseOf("Note", { id: "string" }),
});
const post = route("POST /notes", {
  body: objectOf("CreateNote", { title: "string" }),
  response: responseOf("Note", { id: "string" }),
});

/** Returns the response to a request whose handler throws the value. */
async function thrown(value: unknown, env: "development" | "production" = "production") {
  const { send, log } = await serve(
    [
      [
        get,
        () => {
          throw value;
        },
      ],
    ],
    { env },
  );
  const answer = await send("GET /notes/1");
  return { ...answer, error: errorOf(answer), log };
}

const hostile = {
  get message(): string {
    throw new Error("no message");
  },
  get name(): string {
    throw new Error("no name");
  },
  toString(): string {
    throw new Error("no text");
  },
};
const unreadable = new Proxy(
  {},
  {
    get: () => {
      throw new Error("get");
    },
    getPrototypeOf: () => {
      throw new Error("getPrototypeOf");
    },
    ownKeys: () => {
      throw new Error("ownKeys");
    },
  },
);

describe("a thrown AppError", () => {
  it("is sent with its status, code, message and details in any environment", async () => {
    for (const env of ["development", "production"] as const) {
      const { status, error } = await thrown(
        new AppError("TEAM_FULL", 403, "No free place", { size: 12 }),
        env,
      );
      assert.equal(status, 403);
      assert.equal(error["code"], "TEAM_FULL");
      assert.equal(error["message"], "No free place");
      const { size } = error["details"] as { size: unknown };
      assert.equal(size, 12);
      assert.match(String(error["traceId"]), /^[0-9a-f]{32}$/);
    }
  });

  it("is sent with the location of its handler in development", async () => {
    const places = {
      handler: { file: "src/notes.handlers.ts", export: "noteHandlers", line: 21 },
      relatedTests: ["tests/notes.contract.test.ts"],
    };
    const detailsOf = async (details?: object): Promise<unknown> =>
      (await thrown(new AppError("TEAM_FULL", 403, "No free place", details), "development")).error[
        "details"
      ];
    assert.deepEqual(await detailsOf(), places);
    assert.deepEqual(await detailsOf({ size: 12 }), { size: 12, ...places });
    assert.deepEqual(await detailsOf({ handler: "mine" }), { ...places, handler: "mine" });
    // Values with their own JSON form are sent unchanged.
    assert.deepEqual(await detailsOf(["a"]), ["a"]);
    assert.deepEqual(await detailsOf({ size: 12, toJSON: () => "own" }), "own");
    const production = await thrown(new AppError("TEAM_FULL", 403, "No free place", { size: 12 }));
    assert.deepEqual(production.error["details"], { size: 12 });
  });

  it("is sent without the location of a handler if a middleware threw it", async () => {
    const guarded = route("GET /guarded", { middleware: ["gate"] });
    const { send } = await serve([[guarded, () => undefined]], {
      env: "development",
      middleware: [
        { name: "gate", middleware: ({ ctx }) => ctx.fail(403, "NO", "No", { why: "x" }), priority: 0 },
      ],
    });
    assert.deepEqual(errorOf(await send("GET /guarded"))["details"], { why: "x" });
  });

  it("is sent with only code, message and trace id in production", async () => {
    const { error } = await thrown(new NotFoundError("NOTE_NOT_FOUND", "There is no note 1"));
    assert.deepEqual(Object.keys(error), ["code", "message", "traceId"]);
  });

  it("is thrown by ctx.fail, also in an asynchronous handler", async () => {
    const { send } = await serve([[get, async ({ ctx }) => ctx.fail(409, "TAKEN", "Taken", { by: "x" })]]);
    const answer = await send("GET /notes/1");
    assert.equal(answer.status, 409);
    assert.deepEqual(errorOf(answer)["details"], { by: "x" });
  });

  it("is sent with code and message even if its details have no JSON form", async () => {
    const cycle: Record<string, unknown> = { big: 1n };
    cycle["self"] = cycle;
    const { status, error } = await thrown(new AppError("ODD", 418, "Odd", cycle));
    assert.equal(status, 418);
    assert.equal(error["code"], "ODD");
    assert.deepEqual(error["details"], { big: "1", self: "[circular]" });
  });

  it("is sent with the headers that were set before, except headers that describe the unsent body", async () => {
    const { send } = await serve([
      [
        get,
        ({ ctx }) => {
          ctx.header("retry-after", "5").header("etag", '"1"').header("cache-control", "public");
          ctx.header("content-type", "text/x").header("content-language", "en").status(202);
          return ctx.fail(503, "BUSY", "Busy");
        },
      ],
    ]);
    const answer = await send("GET /notes/1");
    assert.equal(answer.status, 503);
    assert.deepEqual(answer.headers, ["retry-after", "5"]);
    assert.equal(answer.contentType, "application/json");
  });
});

describe("a thrown value that is not an AppError", () => {
  it("results in 500 without details in production", async () => {
    const { status, error, text } = await thrown(new TypeError("secret of the database"));
    assert.equal(status, 500);
    assert.deepEqual(Object.keys(error), ["code", "message", "traceId"]);
    assert.equal(error["code"], "INTERNAL_SERVER_ERROR");
    assert.equal(error["message"], "Internal Server Error");
    assert.doesNotMatch(text!, /secret|stack/);
  });

  it("is shown without a source location if the file does not exist", async () => {
    const ghost = route("GET /ghost", {
      source: {
        contract: { file: "src/gone.ts", line: 1 },
        schemas: { params: "src/gone.ts" },
        handler: { file: "src/gone.ts", export: "gone", line: 1 },
        tests: ["tests/gone.test.ts", "tests/notes.contract.test.ts"],
      },
    });
    const { send } = await serve(
      [
        [
          ghost,
          () => {
            throw new Error("x");
          },
        ],
      ],
      { env: "development" },
    );
    const error = errorOf(await send("GET /ghost"));
    assert.deepEqual(error["relatedTests"], ["tests/notes.contract.test.ts"]);
    assert.equal(error["sourceFile"], undefined);
    assert.equal((error["details"] as { handler?: unknown }).handler, undefined);
  });

  it("is shown with message, name, stack and source locations in development", async () => {
    const { error } = await thrown(new TypeError("what went wrong"), "development");
    assert.equal(error["message"], "what went wrong");
    const { stack, ...details } = error["details"] as Record<string, unknown>;
    assert.match(String(stack), /errors\.test\.ts/);
    const relatedTests = ["tests/notes.contract.test.ts"];
    assert.deepEqual(details, {
      name: "TypeError",
      handler: { file: "src/notes.handlers.ts", export: "noteHandlers", line: 21 },
      relatedTests,
    });
    const { timestamp, requestId, traceId, code, message, details: _, ...rest } = error;
    assert.ok(!Number.isNaN(Date.parse(String(timestamp))));
    assert.ok(requestId && traceId && code && message);
    assert.deepEqual(rest, {
      status: 500,
      phase: "handler",
      route: "GET /notes/:id",
      sourceFile: "src/notes.handlers.ts:21",
      relatedTests,
      server: "memory",
      serverAdapter: "memory",
    });
  });

  it("is shown with its causes in development only", async () => {
    const deepest = new Error('column "priority" does not exist');
    const wrapped = new Error("Failed query", { cause: new Error("no rows", { cause: deepest }) });
    const { error } = await thrown(wrapped, "development");
    const { causes } = error["details"] as { causes: unknown };
    assert.deepEqual(causes, ["no rows", 'column "priority" does not exist']);
    const circle = new Error("around");
    circle.cause = circle;
    const { error: endless } = await thrown(circle, "development");
    assert.equal((endless["details"] as { causes: unknown[] }).causes.length, 8);
    const { error: outside } = await thrown(wrapped, "production");
    assert.equal(outside["details"], undefined);
  });

  it("may be null, a string or any other value, and results in 500", async () => {
    const values: [unknown, string][] = [
      ["a text", "a text"],
      [null, "null was thrown"],
      [undefined, "undefined was thrown"],
      [42, "42 was thrown"],
      [Symbol("s"), "Symbol(s) was thrown"],
      [() => 1, "A function was thrown"],
      [{}, "An object that is not an Error was thrown"],
      [hostile, "An object that is not an Error was thrown"],
      [unreadable, "An object that is not an Error was thrown"],
      [Object.create(null), "An object that is not an Error was thrown"],
    ];
    for (const [value, message] of values) {
      const { status, error } = await thrown(value, "development");
      assert.equal(status, 500);
      assert.equal(error["message"], message);
      assert.equal((await thrown(value)).error["message"], "Internal Server Error");
    }
  });

  it("is logged in full, with its cause", async () => {
    const { send, log } = await serve(
      [
        [
          get,
          () => {
            throw new Error("outer", { cause: new Error("inner") });
          },
        ],
      ],
      { logLevel: "info" },
    );
    const answer = await send("GET /notes/1");
    assert.equal(log.length, 1);
    const [{ level, message, traceId, route: ref, phase, serverAdapter, data }] = log as [(typeof log)[0]];
    assert.deepEqual([level, message, ref, phase], ["error", "outer", "GET /notes/:id", "handler"]);
    assert.equal(traceId, errorOf(answer)["traceId"]);
    assert.equal(serverAdapter, "memory");
    const { error } = data as { error: { stack: string; cause: { message: string } } };
    assert.match(error.stack, /errors\.test\.ts/);
    assert.equal(error.cause.message, "inner");
  });
});

describe("the response to an invalid request in development", () => {
  it("contains advice and the location of the contract", async () => {
    const { send } = await serve([[post, () => ({ id: "1" })]], { env: "development" });
    const error = errorOf(await send("POST /notes", json({ title: 5 })));
    assert.equal(error["status"], 400);
    assert.equal(error["phase"], "validation:body");
    assert.equal(error["schema"], "CreateNote");
    assert.equal(error["sourceFile"], "src/notes.routes.ts:7");
    assert.equal(error["schemaFile"], "src/notes.types.ts");
    assert.deepEqual(error["failures"], [
      {
        path: "$.title",
        expected: "string",
        received: "number",
        rule: "type",
        limit: "string",
        suggestion: "Send a string",
      },
    ]);
  });
});

describe("the source location in an error response in development", () => {
  it("is the contract for an invalid request, the handler for a failed handler, and absent for a middleware", async () => {
    const guarded = { ...post, middleware: ["auth"] };
    const auth = {
      name: "auth",
      priority: 1,
      middleware: ({ headers }: MiddlewareInput) => assert.ok(headers["x"]),
    };
    const { send } = await serve([[guarded, ({ ctx }) => ctx.fail(200, "OK", "Not a failure")]], {
      env: "development",
      middleware: [auth],
    });
    const refused = errorOf(await send("POST /notes", json({ title: "T" })));
    assert.equal(refused["phase"], "middleware:auth");
    assert.equal(refused["sourceFile"], undefined);
    const type = errorOf(await send("POST /notes", { headers: { x: "1" }, body: "{}" }));
    assert.equal(type["code"], "UNSUPPORTED_MEDIA_TYPE");
    assert.equal(type["sourceFile"], "src/notes.routes.ts:7");
    const { headers, body } = json({ title: "T" });
    const failed = errorOf(await send("POST /notes", { headers: { ...headers, x: "1" }, body: body! }));
    assert.match(String(failed["message"]), /status of an error must be an integer from 400 to 599/);
    assert.equal(failed["sourceFile"], "src/notes.handlers.ts:21");
  });
});

describe("the response to a request whose handler returns an invalid value", () => {
  it("is 500 in development, with the location of the handler", async () => {
    const { send } = await serve([[get, () => ({ id: 5 })]], { env: "development" });
    const answer = await send("GET /notes/1");
    assert.equal(answer.status, 500);
    const error = errorOf(answer);
    assert.equal(error["phase"], "serialization");
    assert.equal(error["schema"], "Note");
    assert.equal(
      error["message"],
      "The handler of GET /notes/:id returned a value that is not a valid Note: $.id: expected string, received number",
    );
    assert.equal(error["sourceFile"], "src/notes.handlers.ts:21");
  });

  it("is 500 in production only if the value cannot be serialized", async () => {
    const { send } = await serve([[get, ({ params }) => (params["id"] === "1" ? undefined : { id: 5 })]]);
    assert.equal((await send("GET /notes/1")).status, 500);
    assert.equal((await send("GET /notes/2")).status, 200);
  });

  it("is 500 in development and 204 in production if the contract has no response", async () => {
    const remove = route("DELETE /notes/:id", { params: get.params });
    const inDevelopment = await serve([[remove, () => "value"]], { env: "development" });
    assert.equal((await inDevelopment.send("DELETE /notes/1")).status, 500);
    const inProduction = await serve([[remove, () => "value"]]);
    assert.equal((await inProduction.send("DELETE /notes/1")).status, 204);
  });
});

describe("a failure while an error is handled", () => {
  const bad: (() => unknown)[] = [
    () => {
      throw new Error("the error middleware itself");
    },
    () => undefined,
    () => ({ status: 200, body: {} }),
    () => ({ status: 500, body: null }),
  ];

  it("results in 500 with a trace id if the error middleware fails", async () => {
    for (const errorMiddleware of bad) {
      const { send } = await serve([[get, () => Promise.reject(new Error("x"))]], {
        errorMiddleware: errorMiddleware as never,
      });
      const answer = await send("GET /notes/1");
      assert.equal(answer.status, 500);
      assert.equal(errorOf(answer)["code"], "INTERNAL_SERVER_ERROR");
      assert.match(String(errorOf(answer)["traceId"]), /^[0-9a-f]{32}$/);
    }
  });

  it("affects neither the response nor other plugins if onError of a plugin throws", async () => {
    const reported: [unknown, FailedRequest][] = [];
    const plugins = [
      {
        name: "bad",
        onError: (): never => {
          throw new Error("plugin");
        },
      },
      {
        name: "good",
        onError: (error: unknown, request: FailedRequest) => void reported.push([error, request]),
      },
    ];
    const error = new Error("x");
    const { send } = await serve([[get, () => Promise.reject(error)]], { plugins });
    assert.equal((await send("GET /notes/1")).status, 500);
    assert.equal((await send("GET /nowhere")).status, 404);
    assert.equal(reported[0]![0], error);
    assert.equal(reported[0]![1].route?.ref, "GET /notes/:id");
    assert.equal(reported[1]![1].route, null);
  });

  it("is logged if the error response cannot be sent, and no second response is sent", async () => {
    const { send, log } = await serve([[get, () => ({ id: "1" })]], { logLevel: "info" });
    await send("GET /notes/1", { failToWrite: new Error("broken pipe") });
    await send("GET /nowhere", { failToWrite: new Error("broken pipe") });
    assert.deepEqual(
      log.map(({ level, message }) => [level, message]),
      [
        ["error", "The response could not be sent"],
        ["warn", "No route matches this path"],
        ["error", "The response could not be sent"],
      ],
    );
  });
});

const failing = (): Promise<never> => Promise.reject(new RangeError("secret"));

/** Returns the error of a response if the handler throws and plugins request additional fields. */
async function errorWith(...requested: ErrorFields[]): Promise<Record<string, unknown>> {
  const plugins = requested.map((errorFields) => ({ name: errorFields, errorFields }));
  const { send } = await serve([[get, failing]], { plugins });
  return errorOf(await send("GET /notes/1"));
}

describe("createErrorMiddleware", () => {
  const request: FailedRequest = {
    traceId: "t",
    requestId: "r",
    phase: "handler",
    route: null,
    serverAdapter: "memory",
  };

  it("uses NODE_ENV for the default of isDev", (test) => {
    const before = process.env["NODE_ENV"];
    test.after(() => {
      if (before === undefined) delete process.env["NODE_ENV"];
      else process.env["NODE_ENV"] = before;
    });
    for (const [env, message] of [
      ["development", "x"],
      ["production", "Internal Server Error"],
      [undefined, "Internal Server Error"],
    ]) {
      if (env === undefined) delete process.env["NODE_ENV"];
      else process.env["NODE_ENV"] = env;
      assert.equal(createErrorMiddleware()(new Error("x"), request).body.error.message, message);
    }
  });

  it("adds the fields that plugins request, but never the thrown error", async () => {
    assert.deepEqual(Object.keys(await errorWith()), ["code", "message", "traceId"]);
    assert.deepEqual(Object.keys(await errorWith("none")), ["code", "message", "traceId"]);
    const open = await errorWith("none", "public");
    assert.deepEqual(
      [open["status"], open["phase"], open["route"], open["sourceFile"]],
      [500, "handler", "GET /notes/:id", undefined],
    );
    const all = await errorWith("public", "all", "none");
    assert.equal(all["sourceFile"], "src/notes.handlers.ts:21");
    assert.deepEqual((all["details"] as { handler: object }).handler, {
      file: "src/notes.handlers.ts",
      export: "noteHandlers",
      line: 21,
    });
    for (const error of [open, all]) {
      assert.equal(error["message"], "Internal Server Error");
      assert.ok(!/secret|stack|RangeError/.test(JSON.stringify(error)));
    }
  });

  it("returns a function that can be wrapped, but that is refused in a list of middleware", async () => {
    const inner = createErrorMiddleware({ isDev: false });
    const { send } = await serve([[get, () => Promise.reject(new RangeError("x"))]], {
      errorMiddleware: (error, failed) =>
        error instanceof RangeError ? { ...inner(error, failed), status: 422 } : inner(error, failed),
    });
    assert.equal((await send("GET /notes/1")).status, 422);
    assert.throws(
      () => createApp({ server: new MemoryServer(), routes: [], middleware: [inner as never] }),
      /middleware\[0\] is an error middleware; pass this function as the option `errorMiddleware`/,
    );
  });
});
