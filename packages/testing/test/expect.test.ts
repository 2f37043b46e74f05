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
  replies: [{ status: 200, body: note }],
  errors: ["404 NOTE_NOT_FOUND"],
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

test("fails for a successful response without a property that is optional only in requests", () => {
  expectAnswered(table, answer(200, { title: "a", archived: true }), true);
  for (const [body, why] of [
    [{ title: "a" }, /\$\.archived: expected boolean/],
    [{ title: "123456", archived: true }, /\$\.title: expected string/],
    [null, /does not match its contract/],
    [undefined, /body that is not JSON/],
  ] as const) {
    assert.throws(() => expectAnswered(table, answer(200, body), false), why);
  }
  const empty = (status: number): RouteTable => ({ ...table, replies: [{ status, body: null }] });
  assert.throws(() => expectAnswered(empty(200), answer(200, {}), false), /its contract declares none/);
  expectAnswered(empty(204), answer(204, undefined), true);
});

test("accepts declared errors only, and no error for a route with a fixture", () => {
  expectAnswered(table, failed(404, "NOTE_NOT_FOUND"), false);
  for (const [found, why] of [
    [failed(404, "OTHER"), /Add `@throws OTHER 404` to the route/],
    [failed(500, "INTERNAL_SERVER_ERROR"), /failed with INTERNAL_SERVER_ERROR/],
    [
      failed(400, "VALIDATION_ERROR", ["$.id"]),
      /refused a request that its contract allows: \$\.id: expected string/,
    ],
    [answer(404, { message: "not found" }), /neither a declared response nor an error/],
    [answer(201, { title: "a", archived: true }), /neither a declared response nor an error/],
  ] as const) {
    assert.throws(() => expectAnswered(table, found, false), why);
  }
  assert.throws(
    () => expectAnswered(table, failed(404, "NOTE_NOT_FOUND"), true),
    /fixture should make the request succeed/,
  );
});

test("a response to an invalid request must report the invalid path and no other path", () => {
  expectRefused(table, refused("$.a"), "$.a", false);
  expectRefused(table, refused("$.a.b", "$.a[0]"), "$.a", true);
  for (const [found, why] of [
    [refused(), /reports failures at no path instead of \$\.a/],
    [refused("$.a", "$.b"), /reports failures at \$\.a, \$\.b/],
    [refused("$.ab"), /reports failures at \$\.ab/],
    [refused("$.a.b"), /reports failures at \$\.a\.b/],
    [failed(404, "NOTE_NOT_FOUND"), /expected 400 VALIDATION_ERROR/],
    [answer(200, {}), /accepted a request with an invalid value at \$\.a/],
  ] as const) {
    assert.throws(() => expectRefused(table, found, "$.a", false), why);
  }
  assert.throws(() => expectRefused(table, refused("$.ab"), "$.a", true), /reports failures at \$\.ab/);
  assert.throws(() => expectError(table, refused("$"), 415, "UNSUPPORTED_MEDIA_TYPE"), /415/);
});

test("checks the body and the headers of the reply that has the status of the response", () => {
  const location: Shape = { kind: "string", minLength: 1 };
  const headers: Shape = {
    kind: "object",
    properties: [
      { key: "location", shape: location },
      { key: "x-count", shape: { kind: "number", integer: true } },
      { key: "x-tags", shape: { kind: "array", element: { kind: "string" } }, optional: "always" },
    ],
  };
  const replies = [
    { status: 201, body: note, headers },
    { status: 303, body: null },
  ];
  const several: RouteTable = { ...table, replies };
  const created = (given: Record<string, string>): TestResponse => ({
    ...answer(201, { title: "a", archived: true }),
    headers: new Headers({ "content-type": "application/json", ...given }),
  });
  expectAnswered(several, answer(303, undefined), true);
  expectAnswered(several, created({ location: "/notes/1", "x-count": "3", "x-tags": "a, b" }), true);
  for (const [given, why] of [
    [{ "x-count": "3" }, /\(headers\) does not match its contract: \$\.location: expected string/],
    [{ location: "/notes/1", "x-count": "many" }, /\$\["x-count"\]: expected integer, received string/],
    [{ location: "/notes/1", "x-count": "1.5" }, /\$\["x-count"\]: expected integer, received number 1\.5/],
  ] as const) {
    assert.throws(() => expectAnswered(several, created(given), true), why);
  }
  assert.throws(() => expectAnswered(several, answer(200, {}), false), /neither a declared response/);
});

function soldOut(details: unknown): TestResponse {
  return answer(409, { error: { code: "SOLD_OUT", message: "no", traceId: "1", details } });
}

test("checks the details of an error whose contract declares their type", () => {
  const details: Shape = { kind: "object", properties: [{ key: "left", shape: { kind: "number" } }] };
  const typed: RouteTable = {
    ...table,
    errors: ["409 SOLD_OUT"],
    details: { "409 SOLD_OUT": details },
  };
  expectAnswered(typed, soldOut({ left: 0 }), false);
  assert.throws(() => expectAnswered(typed, soldOut({ left: "none" }), false), /409 SOLD_OUT.*\$\.left/);
});

const problems: RouteTable = {
  ...table,
  errorFormat: {
    validationStatus: 422,
    code: ["code"],
    message: ["detail"],
    details: ["details"],
    fields: ["errors"],
    traceId: ["traceId"],
  },
};

function problem(status: number, code: string, paths?: readonly string[]): TestResponse {
  const errors = paths?.map((path) => ({ path, expected: "string", rule: "type" }));
  return answer(
    status,
    { status, code, detail: "no", traceId: "1", ...(errors && { errors }) },
    "application/problem+json",
  );
}

test("an error must have the format and the validation status of the application", () => {
  expectAnswered(problems, problem(404, "NOTE_NOT_FOUND"), false);
  expectRefused(problems, problem(422, "VALIDATION_ERROR", ["$.a"]), "$.a", false);
  for (const [found, why] of [
    [problem(404, "OTHER"), /Add `@throws OTHER 404` to the route/],
    [
      problem(422, "VALIDATION_ERROR", ["$.id"]),
      /refused a request that its contract allows: \$\.id: expected string/,
    ],
    [failed(404, "NOTE_NOT_FOUND"), /nor an error in the format of the option `errors`/],
  ] as const) {
    assert.throws(() => expectAnswered(problems, found, false), why);
  }
  for (const [found, why] of [
    [problem(400, "VALIDATION_ERROR", ["$.a"]), /expected 422 VALIDATION_ERROR/],
    [problem(422, "VALIDATION_ERROR", ["$.b"]), /reports failures at \$\.b instead of \$\.a/],
    [problem(422, "VALIDATION_ERROR"), /reports failures at no path/],
  ] as const) {
    assert.throws(() => expectRefused(problems, found, "$.a", false), why);
  }
});

test("an error of a declared format without codes must have the declared type and a declared status", () => {
  const strings: Shape = { kind: "array", element: { kind: "string" } };
  const body: Shape = { kind: "object", properties: [{ key: "errors", shape: strings }] };
  const own: RouteTable = { ...table, errorFormat: { validationStatus: 422, body } };
  expectAnswered(own, answer(404, { errors: ["no note"] }), false);
  expectRefused(own, answer(422, { errors: ["a is invalid"] }), "$.a", false);
  expectError(own, answer(405, { errors: [] }), 405, "METHOD_NOT_ALLOWED");
  for (const [found, why] of [
    [answer(404, { errors: [7] }), /error body\) does not match its contract: \$\.errors\[0\]/],
    [answer(404, "no"), /nor an error in the format of the option `errors`/],
    [
      answer(409, { errors: [] }),
      /answered with the error 409, which its contract does not declare\. Add `@throws CODE 409`/,
    ],
    [answer(500, { errors: [] }), /failed with 500/],
  ] as const) {
    assert.throws(() => expectAnswered(own, found, false), why);
  }
  assert.throws(
    () => expectRefused(own, answer(400, { errors: [] }), "$.a", false),
    /answered 400, expected 422/,
  );
});
