// Tests of the headers that contract tests send for the values of a valid request.

import assert from "node:assert/strict";
import { test } from "node:test";

import { headersOf } from "../src/contracts/request.ts";
import type { RouteTable } from "../src/contracts/tables.ts";

const request = { headers: { "content-type": "content type", "x-tenant": "a" } };

test("a declared header content-type has the type of the body, unless a test or a fixture gives another", () => {
  const table = { route: "POST /notes", request } as unknown as RouteTable;
  assert.deepEqual(headersOf(table, request, {}), { "content-type": "application/json", "x-tenant": "a" });
  const given = { "content-type": "application/merge-patch+json" };
  assert.equal(headersOf(table, request, given)["content-type"], given["content-type"]);
  const wrong = { headers: { ...request.headers, "content-type": "text/html" } };
  assert.equal(headersOf(table, wrong, {})["content-type"], "text/html");
  // The body itself sets the type of a form, which contains a random boundary.
  const form = { ...table, format: { kind: "multipart", types: ["multipart/form-data"] } } as RouteTable;
  assert.deepEqual(headersOf(form, request, {}), { "x-tenant": "a" });
});
