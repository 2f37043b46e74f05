import assert from "node:assert/strict";
import { test } from "node:test";

import { plainData } from "../src/plain-data.ts";

test("returns plain values unchanged", () => {
  const value = { a: [1, "b", true, null], nested: { c: -0.5 } };
  assert.deepEqual(plainData(value), value);
  assert.deepEqual(plainData({ a: undefined, b: 1 }), { b: 1 });
  assert.deepEqual(plainData(Object.assign(Object.create(null), { a: 1 })), { a: 1 });
  assert.equal(JSON.stringify(plainData(JSON.parse('{ "__proto__": 1 }'))), '{"__proto__":1}');
});

test("accepts an object that occurs twice but does not contain itself", () => {
  const shared = { a: 1 };
  assert.deepEqual(plainData([shared, shared]), [shared, shared]);
});

test("throws an error with the path of a value that has no JSON form", () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const [value, expected] of [
    [() => 1, "the default export is a function; "],
    [{ plugins: [{ setup: () => 1 }] }, "`plugins[0].setup` is a function; "],
    [{ a: Symbol("x") }, "`a` is a symbol; "],
    [{ a: 1n }, "`a` is a bigint; "],
    [{ a: Number.NaN }, "`a` is NaN; "],
    [{ a: new Map() }, "`a` is an instance of Map; "],
    [[undefined], "`[0]` is undefined; "],
    [cycle, "`self` is a value that contains itself; "],
  ] as const) {
    assert.throws(
      () => plainData(value),
      (error: Error) => error.message.startsWith(expected),
      expected,
    );
  }
});
