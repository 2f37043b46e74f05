// Runs the code that kit generates for headers, cookies, replies and details of errors.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompiledRoute } from "@kit/types";

import application from "../../../../crates/kit-emit/tests/goldens/contracts/routes/index.ts";

function route(ref: string): CompiledRoute {
  const found = application.routes.find((each) => each.ref === ref);
  assert.ok(found, ref);
  return found;
}

/** Reads headers as the pipeline does: by lower-case name. */
function headersOf(ref: string, headers: Readonly<Record<string, string>>): unknown {
  const { headers: slot } = route(ref);
  return slot!.headers((name) => headers[name]);
}

test("headers are converted to the declared types, and undeclared headers are left out", () => {
  const { headers: slot } = route("POST /orders");
  const value = headersOf("POST /orders", {
    "x-tenant": "acme",
    "x-retries": "3",
    "x-dry-run": "1",
    "x-since": "2026-01-01T00:00:00Z",
    "x-total": "18446744073709551616",
    "x-mode": "1",
    "x-tags": 'a, "b,c",, d',
    "x-sizes": "1, 2.5",
    "user-agent": "test",
  });
  assert.ok(slot!.is(value), JSON.stringify(slot!.failures(value)));
  assert.deepEqual(slot!.decode(value), {
    "x-tenant": "acme",
    "x-retries": 3,
    "x-dry-run": true,
    "x-since": new Date("2026-01-01T00:00:00Z"),
    "x-total": 18446744073709551616n,
    "x-mode": 1,
    "x-tags": ["a", '"b,c"', "d"],
    "x-sizes": [1, 2.5],
  });
});

test("a missing header gets its default, and a list without items is empty", () => {
  const { headers: slot } = route("POST /orders");
  const value = headersOf("POST /orders", { "x-tenant": "acme", "x-tags": ", ," });
  assert.deepEqual(slot!.decode(value), { "x-tenant": "acme", "x-retries": 2, "x-tags": [] });
});

test("failures of headers name the header, and never show credentials", () => {
  const { headers: slot } = route("POST /orders");
  const failures = slot!.failures({ authorization: 5, "x-sizes": ["1", "x"], "x-dry-run": "maybe" });
  assert.deepEqual(
    failures.map(({ path, rule, value }) => [path, rule, value]),
    [
      ['$["x-tenant"]', "required", null],
      ["$.authorization", "type", "[redacted]"],
      ['$["x-dry-run"]', "type", "maybe"],
      ['$["x-sizes"][0]', "type", "1"],
      ['$["x-sizes"][1]', "type", "x"],
    ],
  );
});

test("cookies are converted to the declared types, and failures never show a value", () => {
  const { cookies: slot } = route("POST /orders");
  const value = slot!.cookies("sid=s%20ecret-1; other=1; theme=dark; visits=2; seen=2026-01-01T00:00:00Z");
  assert.ok(slot!.is(value));
  assert.deepEqual(slot!.decode(value), {
    sid: "s ecret-1",
    theme: "dark",
    visits: 2,
    seen: new Date("2026-01-01T00:00:00Z"),
  });
  const failures = slot!.failures(slot!.cookies("sid=hunter2; theme=hunter2; visits=hunter2; seen=hunter2"));
  assert.equal(failures.length, 4);
  assert.doesNotMatch(JSON.stringify(failures), /hunter2/);
  assert.equal(slot!.failures(slot!.cookies(undefined))[0]?.path, "$.sid");
});

test("the headers of an interface are hidden only if they are credentials", () => {
  const { headers: slot } = route("GET /session");
  assert.equal(slot!.failures(headersOf("GET /session", { "x-tenant": "a" }))[0]?.value, "a");
});

test("each reply has its own serializer and header writer", () => {
  const { replies, response, status } = route("POST /orders");
  assert.deepEqual([Object.keys(replies!), response, status], [["201", "202", "303"], null, 201]);
  const order = { id: "1", sku: "a", count: 1, orderedAt: new Date(0), secret: "x" };
  assert.equal(
    replies![201]!.body!.serialize(order),
    '{"id":"1","sku":"a","count":1,"orderedAt":"1970-01-01T00:00:00.000Z"}',
  );
  assert.equal(replies![202]!.body!.serialize({ job: "j", more: 1 }), '{"job":"j"}');
  assert.deepEqual([replies![202]!.headers, replies![303]!.body], [null, null]);
  assert.deepEqual(replies![303]!.headers!.write({ location: "/orders" }), ["location", "/orders"]);
});

test("a header writer writes declared headers only, and one line for each cookie", () => {
  const { headers } = route("POST /orders").replies![201]!;
  const value = {
    location: "/orders/1",
    etag: '"1"',
    "x-remaining": 0,
    "x-expires": new Date(0),
    "x-total": 1n,
    "x-cached": false,
    "x-kind": 5,
    vary: ["accept", "origin"],
    "x-sizes": [1, 2],
    "set-cookie": ["a=1; Path=/", "b=2"],
    "x-secret": "no",
  };
  assert.deepEqual(headers!.failures(value), []);
  const lines = headers!.write(value);
  const pairs = lines.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${lines[index + 1]}`] : []));
  assert.deepEqual(pairs, [
    "location: /orders/1",
    'etag: "1"',
    "x-remaining: 0",
    "x-expires: 1970-01-01T00:00:00.000Z",
    "x-total: 1",
    "x-cached: false",
    "x-kind: 5",
    "vary: accept, origin",
    "x-sizes: 1, 2",
    "set-cookie: a=1; Path=/",
    "set-cookie: b=2",
  ]);
  assert.throws(() => headers!.write({ ...value, etag: "a\r\nb" }), {
    name: "TypeError",
    message:
      "PostOrdersReply201Headers cannot be written as headers: $.etag has the character U+000D, which a header cannot contain",
  });
  assert.throws(
    () => headers!.write({ ...value, location: undefined }),
    /\$\.location should be string, but is nothing/,
  );
});

test("details of errors are written with their declared properties only", () => {
  const { details } = route("POST /orders");
  assert.deepEqual(Object.keys(details!), ["SOLD_OUT"]);
  assert.equal(
    details!["SOLD_OUT"]!.serialize({ left: 0, again: new Date(0), stack: "x" }),
    '{"left":0,"again":"1970-01-01T00:00:00.000Z"}',
  );
});

test("a route without headers, cookies, replies and failures has no fields for these slots", () => {
  const plain = route("GET /stock");
  for (const field of ["headers", "cookies", "replies", "details"]) assert.ok(!(field in plain), field);
  assert.deepEqual(application.table["POST /orders"]?.replySchemas, { 201: "Order", 202: "Job", 303: null });
  assert.equal(application.table["POST /orders"]?.cookiesSchema, "PostOrdersCookies");
});
