import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AppOptions, createErrorMiddleware, type LogEntry } from "@kit/core";
import type { ValidationFailure, Validator } from "@kit/types";

import { objectOf, paramsOf, queryOf, route } from "./support/compiled.ts";
import type { MemoryRequest, MemoryResponse } from "./support/memory-server.ts";
import { json, serve, type TestRoute } from "./support/serve.ts";

const failure = { path: "$.a", expected: "a string", received: "a number", rule: "type" } as const;

/** Returns a validator that refuses each value with the given failures. */
function refusing(failures: readonly ValidationFailure[]): Validator<unknown> {
  return { name: "Refusing", is: () => false, failures: () => [...failures], decode: (value) => value };
}

const failures: readonly ValidationFailure[][] = [
  [],
  [failure],
  [{ ...failure, value: 'say "hi"\n\ud800 ä €'.repeat(20), limit: "string" }],
  [{ ...failure, path: '$["a\\"b\\\\"]', expected: 'one of "a", "b"', value: null, limit: ["a", 1, true] }],
  [
    { ...failure, value: -0, limit: 1e21 },
    { ...failure, value: Number.NaN, rule: "maximum", limit: false },
    { ...failure, value: true },
  ],
  [{ ...failure, value: { list: [1, "…", { deep: undefined }], toJSON: 1 } }],
  // The error middleware describes values that JSON does not have.
  [{ ...failure, value: 1n }],
  [failure, { ...failure, value: () => 1 }],
  [{ ...failure, value: Symbol("a") }],
  [{ ...failure, limit: undefined, value: undefined, suggestion: "Send a string" }],
];

const routes: readonly TestRoute[] = [
  [route("GET /items/:id", { params: paramsOf("Id", { id: "number" }) }), () => undefined],
  [route("GET /items", { query: queryOf("Page", { page: "number" }) }), () => undefined],
  [
    route("POST /items", { body: objectOf("Item", { title: "string", size: "number?" }) }),
    ({ ctx }) => ctx.fail(409, "TAKEN", "Taken"),
  ],
  ...failures.map((list, index): TestRoute => [
    route(`POST /failures/${index}`, { body: refusing(list) }),
    () => undefined,
  ]),
];

const requests: readonly (readonly [string, MemoryRequest?])[] = [
  ["GET /nowhere"],
  ["HEAD /nowhere"],
  ["GET /nowhere", { headers: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` } }],
  ["GET /items/one"],
  ["GET /items?page=one"],
  ["POST /items", json({ title: 5, size: "big" })],
  ["POST /items", json({ title: "a\u0000b" })],
  ["POST /items", json([])],
  ["POST /items", json("{")],
  ["POST /items", json({ title: "a" })],
  ["DELETE /items"],
  ...failures.map((_, index) => [`POST /failures/${index}`, json({})] as const),
];

interface Seen {
  readonly responses: readonly MemoryResponse[];
  readonly log: readonly unknown[];
}

/** Sends all requests twelve times, and returns responses and log without ids and times. */
async function seen(options: Partial<AppOptions>): Promise<Seen> {
  const { send, log } = await serve(routes, { logLevel: "info", ...options });
  const responses: MemoryResponse[] = [];
  for (let round = 0; round < 12; round += 1) {
    for (const [line, request] of requests) {
      const { text, ...rest } = await send(line, request);
      responses.push({
        ...rest,
        text: text?.replaceAll(/"traceId":"[0-9a-f]{32}"/g, '"traceId":""') ?? null,
      });
    }
  }
  return { responses, log: log.map(withoutIds) };
}

function withoutIds(entry: LogEntry): unknown {
  const { level, message, phase, route: ref, data } = entry;
  return structuredClone({ level, message, phase, ref, data });
}

describe("an error body that is written without an error object", () => {
  it("is the same, with the same log, as the body that the error middleware makes", async () => {
    const plain = await seen({});
    const made = await seen({ errorMiddleware: createErrorMiddleware({ isDev: false }) });
    assert.deepEqual(plain.responses, made.responses);
    assert.deepEqual(plain.log, made.log);
    assert.ok(plain.log.length > 100, `${plain.log.length} entries`);
  });

  it("has the trace id of the request", async () => {
    const { send } = await serve([]);
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const { text } = await send("GET /nowhere", { headers: { traceparent } });
    const traceId = "a".repeat(32);
    assert.deepEqual(JSON.parse(text!), {
      error: { code: "NOT_FOUND", message: "No route matches this path", traceId },
    });
  });

  it("is not used if a plugin observes errors, or if the error middleware is the application's", async () => {
    const errors: unknown[] = [];
    const observed = await serve(routes, {
      plugins: [{ name: "errors", onError: (error) => void errors.push(error) }],
    });
    await observed.send("GET /nowhere");
    await observed.send("GET /items/one");
    assert.deepEqual(
      errors.map((error) => (error as { code: string }).code),
      ["NOT_FOUND", "VALIDATION_ERROR"],
    );
    const body = { error: { code: "OWN", message: "own", traceId: "" } };
    const own = await serve(routes, { errorMiddleware: () => ({ status: 418, body }) });
    for (const line of ["GET /nowhere", "GET /items/one"]) {
      const { status, text } = await own.send(line);
      assert.deepEqual([status, JSON.parse(text!)], [418, body]);
    }
  });
});
