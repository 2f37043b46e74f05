import assert from "node:assert/strict";
import { test } from "node:test";

import type { Shape } from "@kit/core/codec";

import { expectAnswered, expectError, expectRefused } from "../src/contracts/expect.ts";
import type { RouteTable } from "../src/contracts/tables.ts";
import type { TestResponse } from "../src/test-response.ts";

const note: Shape = {
  kind: "object",
  properties: [
    { key: "title", shape: { kind: "string", maxLength: 5 } },
    { key: "archived", shape: { kind: "boolean" }, optional: "input" },
    { key: "tag", shape: { kind: "string" }, optional: "always" },
  ],
};
const table: RouteTable = {
  route: "GET /notes/:id",
  success: 200,
  errors: ["404 NOTE_NOT_FOUND"],
  response: note,
};

function answer(status: number, body: unknown, type = "application/json"): TestResponse {
  const text = body === undefined ? "" : JSON.stringify(body);
  return { status, body, text, headers: new Headers({ "content-type": type }) };
}

function failed(status: number, code: string, paths?: readonly string[]): TestResponse {
  const details = paths && { fields: paths.map((path) => ({ path, expected: "string", rule: "type" })) };
  return answer(status, { error: { code, message: "no", traceId: "1", details } });
}

const refused = (...paths: string[]): TestResponse => failed(400, "VALIDATION_ERROR", paths);

test("a successful response must have the properties that only a request may leave out", () => {
  expectAnswered(table, answer(200, { title: "a", archived: true }), true);
  for (const [body, why] of [
    [{ title: "a" }, /\$\.archived: expected boolean/],
    [{ title: "123456", archived: true }, /\$\.title: expected string/],
    [null, /does not fit its contract/],
    [undefined, /answered no JSON/],
  ] as const) {
    assert.throws(() => expectAnswered(table, answer(200, body), false), why);
  }
  assert.throws(() => expectAnswered({ ...table, response: null }, answer(200, {}), false), /no body/);
  expectAnswered({ ...table, success: 204, response: null }, answer(204, undefined), true);
});

test("accepts declared errors only, and no error for a route with a fixture", () => {
  expectAnswered(table, failed(404, "NOTE_NOT_FOUND"), false);
  for (const [found, why] of [
    [failed(404, "OTHER"), /add `@throws OTHER 404` to the route/],
    [failed(500, "INTERNAL_SERVER_ERROR"), /failed with INTERNAL_SERVER_ERROR/],
    [failed(400, "VALIDATION_ERROR", ["$.id"]), /refused what its contract allows: \$\.id: expected string/],
    [answer(404, { message: "not found" }), /neither what its contract says nor an error/],
    [answer(201, { title: "a", archived: true }), /neither what its contract says nor an error/],
  ] as const) {
    assert.throws(() => expectAnswered(table, found, false), why);
  }
  assert.throws(() => expectAnswered(table, failed(404, "NOTE_NOT_FOUND"), true), /has a fixture/);
});

test("a response to an invalid request must report the invalid path and no other path", () => {
  expectRefused(table, refused("$.a"), "$.a", false);
  expectRefused(table, refused("$.a.b", "$.a[0]"), "$.a", true);
  for (const [found, why] of [
    [refused(), /names no path instead of \$\.a/],
    [refused("$.a", "$.b"), /names \$\.a, \$\.b/],
    [refused("$.ab"), /names \$\.ab/],
    [refused("$.a.b"), /names \$\.a\.b/],
    [failed(404, "NOTE_NOT_FOUND"), /should have answered 400 VALIDATION_ERROR/],
    [answer(200, {}), /accepted a value that its contract forbids at \$\.a/],
  ] as const) {
    assert.throws(() => expectRefused(table, found, "$.a", false), why);
  }
  assert.throws(() => expectRefused(table, refused("$.ab"), "$.a", true), /names \$\.ab/);
  assert.throws(() => expectError(table, refused("$"), 415, "UNSUPPORTED_MEDIA_TYPE"), /415/);
});
