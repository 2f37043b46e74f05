// Tests of the option `errors`. The responses of all servers are tested by tests/conformance/error-formats.test.ts.

import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";
import { describe, it } from "node:test";

import {
  type App,
  type AppOptions,
  createApp,
  createErrorMiddleware,
  defineErrorFormat,
  defineHandlers,
  type ErrorBody,
  type ErrorFormat,
  type ErrorMiddleware,
} from "@kit/core";
import { AppError } from "@kit/errors";
import type { CompiledApplication } from "@kit/types";

import { readErrors } from "../src/app/errors-option.ts";
import { ErrorWriter } from "../src/errors/error-writer.ts";
import { statusPhrase } from "../src/errors/status-phrase.ts";
import { compiled, responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { quietStdout } from "./support/quiet-stdout.ts";

quietStdout();

interface OwnError {
  readonly error: { readonly type: string; readonly text: string; readonly data?: object };
  readonly request: string;
}

const own: ErrorFormat<OwnError> = defineErrorFormat<OwnError>({
  body: ({ code, message, details, traceId }) => ({
    error: { type: code, text: message, ...(details && { data: details }) },
    request: traceId,
  }),
  paths: { code: "error.type", message: "error.text", details: "error.data", traceId: "request" },
});

function appThat(fails: () => unknown, options: Partial<AppOptions>): App {
  const program: CompiledApplication = compiled(
    route("GET /notes", { response: responseOf("Note", { title: "string" }) }),
  );
  return createApp({
    compiled: program,
    routes: [{ handlers: defineHandlers({ "GET /notes": fails } as never) }],
    env: "production",
    signals: false,
    ...options,
  });
}

/** Returns the response to a request whose handler throws. */
async function failWith(error: unknown, options: Partial<AppOptions>): Promise<Response> {
  const app = appThat(() => {
    throw error;
  }, options);
  const response = await app.fetch(new Request("http://localhost/notes"));
  await app.close({ graceMs: 0 });
  return response;
}

describe("the option errors", () => {
  const refused: readonly [name: string, errors: unknown, message: RegExp][] = [
    ["a string", "problem-details", /`errors` must be an object such as \{ format: "problem-details", /],
    ["null", null, /`errors` must be an object/],
    ["a format in place of the options", own, /`errors` must be an object/],
    ["a misspelt name", { fromat: "envelope" }, /no option `errors\.fromat`; did you mean `format`\?/],
    ["a misspelt format", { format: "problem-detail" }, /must be "envelope", .*mean `problem-details`\?/],
    ["a function", { format: () => ({}) }, /or the result of defineErrorFormat/],
    ["another status", { validationStatus: 418 }, /`errors\.validationStatus` must be 400 or 422, not 418/],
  ];
  for (const [name, errors, message] of refused) {
    it(`is refused with a clear message: ${name}`, () => {
      const options = { server: new MemoryServer(), routes: [], errors } as unknown as AppOptions;
      assert.throws(() => createApp(options), message);
    });
  }

  it("changes nothing if it selects the default", () => {
    assert.equal(readErrors(undefined), null);
    assert.equal(readErrors({}), null);
    assert.equal(readErrors({ format: "envelope", validationStatus: 400 }), null);
  });
});

describe("defineErrorFormat", () => {
  const refused: readonly [name: string, options: unknown, message: RegExp][] = [
    ["no options", undefined, /requires an object of options with the function `body`/],
    ["no function", {}, /`body` must be a function/],
    ["an unknown option", { body: () => ({}), status: 1 }, /there is no option `status`/],
    ["another media type", { body: () => ({}), contentType: "text/html" }, /JSON media type/],
    ["a parameter", { body: () => ({}), contentType: "application/json; charset=utf-8" }, /without param/],
    ["an unknown path", { body: () => ({}), paths: { status: "a" } }, /there is no `paths\.status`/],
    ["an empty path", { body: () => ({}), paths: { code: "" } }, /`paths\.code` must be a string/],
  ];
  for (const [name, options, message] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(() => defineErrorFormat(options as never), message);
    });
  }

  it("refuses a path that the type does not have", () => {
    defineErrorFormat<OwnError>({
      body: ({ traceId }) => ({ error: { type: "a", text: "a" }, request: traceId }),
      // @ts-expect-error: `error.code` is no property of the type.
      paths: { code: "error.code" },
    });
    defineErrorFormat<OwnError>({
      body: ({ traceId }) => ({ error: { type: "a", text: "a" }, request: traceId }),
      // @ts-expect-error: the property is an object, and a code is a string.
      paths: { code: "error.data" },
    });
    // @ts-expect-error: the function must return the type.
    defineErrorFormat<OwnError>({ body: () => ({ request: "a" }) });
  });
});

describe("problem details", () => {
  const problems = { errors: { format: "problem-details" } } as const;

  it("have the members of RFC 9457 and the members that kit adds", async () => {
    const response = await failWith(new AppError("TAKEN", 409, "The title is taken", { by: 7 }), problems);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    const { traceId, instance, ...rest } = (await response.json()) as Record<string, string>;
    assert.deepEqual(rest, {
      type: "about:blank",
      title: "Conflict",
      status: 409,
      detail: "The title is taken",
      code: "TAKEN",
      details: { by: 7 },
    });
    assert.equal(instance!.replaceAll("-", ""), `urn:uuid:${traceId}`);
  });

  // RFC 9457, section 3 and 3.1: an error middleware selects the type, and the example has kit's members besides.
  const examples: readonly [name: string, members: object, error: AppError, expected: object][] = [
    [
      "a problem with its own type",
      {
        type: "https://example.com/probs/out-of-credit",
        title: "You do not have enough credit.",
        instance: "/account/12345/msgs/abc",
        balance: 30,
        accounts: ["/account/12345", "/account/67890"],
      },
      new AppError("OUT_OF_CREDIT", 403, "Your current balance is 30, but that costs 50."),
      {
        type: "https://example.com/probs/out-of-credit",
        title: "You do not have enough credit.",
        status: 403,
        detail: "Your current balance is 30, but that costs 50.",
        instance: "/account/12345/msgs/abc",
        code: "OUT_OF_CREDIT",
        balance: 30,
        accounts: ["/account/12345", "/account/67890"],
      },
    ],
    [
      "invalid values",
      { type: "https://example.net/validation-error", title: "Your request is not valid." },
      new AppError("VALIDATION_ERROR", 422, "Two values are invalid", {
        fields: [
          { detail: "must be a positive integer", pointer: "#/age" },
          { detail: "must be 'green', 'red' or 'blue'", pointer: "#/profile/color" },
        ],
      }),
      {
        type: "https://example.net/validation-error",
        title: "Your request is not valid.",
        status: 422,
        detail: "Two values are invalid",
        code: "VALIDATION_ERROR",
        errors: [
          { detail: "must be a positive integer", pointer: "#/age" },
          { detail: "must be 'green', 'red' or 'blue'", pointer: "#/profile/color" },
        ],
      },
    ],
  ];
  for (const [name, members, error, expected] of examples) {
    it(`equal the example of RFC 9457: ${name}`, async () => {
      const make = createErrorMiddleware();
      const errorMiddleware: ErrorMiddleware = (thrown, request) => {
        const { status, body } = make(thrown, request);
        return { status, body: { error: Object.assign({}, body.error, members) } };
      };
      const response = await failWith(error, { ...problems, errorMiddleware });
      const { traceId, instance, ...rest } = (await response.json()) as Record<string, unknown>;
      assert.match(traceId as string, /^[0-9a-f]{32}$/);
      const { instance: chosen, ...others } = expected as { instance?: string };
      assert.equal(instance, chosen ?? `urn:uuid:${toUuid(traceId as string)}`);
      assert.deepEqual(rest, others);
    });
  }

  it("contain a description in place of details that have no JSON form", async () => {
    const details: { self?: object; size: bigint } = { size: 1n };
    details.self = details;
    const response = await failWith(new AppError("TAKEN", 409, "The title is taken", details), problems);
    assert.equal(response.status, 409);
    assert.equal(((await response.json()) as { code: string }).code, "TAKEN");
  });

  it("have additional members in development", async () => {
    const response = await failWith(new Error("a bug"), { ...problems, env: "development" });
    const body = (await response.json()) as Record<string, unknown>;
    assert.equal(body["status"], 500);
    assert.equal(body["detail"], "a bug");
    assert.equal(body["phase"], "handler");
    assert.equal(body["route"], "GET /notes");
  });

  it("name every status as RFC 9110 and the registry of IANA", () => {
    // Names that Node still has in their older form.
    const newer: Readonly<Record<number, string>> = {
      413: "Content Too Large",
      422: "Unprocessable Content",
    };
    const old = new Set(["418", "509", "510"]);
    for (const [status, phrase] of Object.entries(STATUS_CODES)) {
      if (Number(status) < 400 || old.has(status)) continue;
      assert.equal(statusPhrase(Number(status)), newer[Number(status)] ?? phrase, status);
    }
    assert.equal(statusPhrase(418), "Bad Request");
    assert.equal(statusPhrase(599), "Internal Server Error");
  });
});

function toUuid(traceId: string): string {
  return traceId.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

describe("a declared format", () => {
  it("writes the body that its function returns", async () => {
    const response = await failWith(new AppError("TAKEN", 409, "Taken", { by: 7 }), {
      errors: { format: own },
    });
    assert.equal(response.status, 409);
    const body = (await response.json()) as OwnError;
    assert.deepEqual(body.error, { type: "TAKEN", text: "Taken", data: { by: 7 } });
    assert.match(body.request, /^[0-9a-f]{32}$/);
  });

  it("writes only declared properties if the build has a serializer", async () => {
    const errorBody = {
      name: "OwnError",
      failures: () => [],
      serialize: (value: unknown) => JSON.stringify({ request: (value as OwnError).request }),
    };
    const app = createApp({
      compiled: { ...compiled(), errorBody },
      routes: [],
      signals: false,
      errors: { format: own },
    });
    const body = await (await app.fetch(new Request("http://localhost/nothing"))).text();
    assert.match(body, /^\{"request":"[0-9a-f]{32}"\}$/);
    await app.close({ graceMs: 0 });
  });

  it("contains a description in place of details that have no JSON form", async () => {
    const response = await failWith(new AppError("TAKEN", 409, "Taken", { size: 1n }), {
      errors: { format: own },
    });
    assert.equal(response.status, 409);
    assert.equal(((await response.json()) as OwnError).error.type, "TAKEN");
  });

  it("results in the prepared error 500 if its function fails for one error", async () => {
    const format = defineErrorFormat<OwnError>({
      body(failure) {
        if (failure.status === 409) throw new Error("no text for 409");
        return own.body(failure);
      },
    });
    const response = await failWith(new AppError("TAKEN", 409, "Taken"), { errors: { format } });
    assert.equal(response.status, 500);
    const { error, request } = (await response.json()) as OwnError;
    assert.deepEqual(error, { type: "INTERNAL_SERVER_ERROR", text: "Internal Server Error" });
    assert.match(request, /^[0-9a-f]{32}$/);
  });

  it("fails the start of the application if the function of the format throws for every error", async () => {
    const format = defineErrorFormat<OwnError>({
      body: () => {
        throw new Error("no texts");
      },
    });
    const app = createApp({ compiled: compiled(), routes: [], signals: false, errors: { format } });
    await assert.rejects(
      app.fetch(new Request("http://localhost/nothing")),
      /`errors\.format` failed for the error 500 INTERNAL_SERVER_ERROR: no texts/,
    );
  });
});

/** Error middleware whose body is not the envelope. */
const foreignBody: ErrorMiddleware = () => ({ status: 409, body: { problem: 1 } as unknown as ErrorBody });

describe("an error middleware with the option errors", () => {
  it("decides status, code and message, and the format writes them", async () => {
    const make = createErrorMiddleware();
    const errorMiddleware: ErrorMiddleware = (error, request) =>
      make(error instanceof RangeError ? new AppError("TOO_FAR", 409, "Too far") : error, request);
    const response = await failWith(new RangeError("x"), { errors: { format: own }, errorMiddleware });
    assert.equal(response.status, 409);
    assert.deepEqual(((await response.json()) as OwnError).error, { type: "TOO_FAR", text: "Too far" });
  });

  it("must return the envelope, otherwise the response is 500", async () => {
    const response = await failWith(new Error("x"), {
      errors: { format: own },
      errorMiddleware: foreignBody,
    });
    assert.equal(response.status, 500);
    assert.equal(((await response.json()) as OwnError).error.type, "INTERNAL_SERVER_ERROR");
  });
});

describe("bodies of errors of the HTTP server", () => {
  it("are created once, with the positions of the trace id", () => {
    let calls = 0;
    const format = defineErrorFormat<{ id: string; text: string }>({
      body: ({ message, traceId }) => {
        calls += 1;
        return { id: traceId, text: message };
      },
    });
    const writer = new ErrorWriter({ format, validationStatus: 400 }, undefined, () => assert.fail());
    const error = { status: 400, code: "BAD_REQUEST", message: "bad" };
    calls = 0;
    assert.deepEqual(writer.parts(error), [{ text: '{"id":"' }, { id: "hex" }, { text: '","text":"bad"}' }]);
    assert.equal(writer.body(error, "0".repeat(32)), `{"id":"${"0".repeat(32)}","text":"bad"}`);
    assert.equal(calls, 1);
  });

  it("are the prepared error 500 if the function fails, and the failure is reported", () => {
    const failures: unknown[] = [];
    const format = defineErrorFormat<object>({
      body: ({ status }) => {
        if (status === 400) throw new Error("no");
        return { status };
      },
    });
    const writer = new ErrorWriter({ format, validationStatus: 400 }, undefined, (error) =>
      failures.push(error),
    );
    assert.equal(writer.body({ status: 400, code: "A", message: "a" }, "1"), '{"status":500}');
    assert.equal(failures.length, 1);
  });
});
