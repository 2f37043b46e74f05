import assert from "node:assert/strict";
import { test } from "node:test";

import { missing, nested, placed, stepsOf, valueAt } from "../src/values/values-at-paths.ts";

test("splits the path of a failure into steps", () => {
  assert.deepEqual(stepsOf("$"), []);
  assert.deepEqual(stepsOf('$.items[0]["odd \\"key\\""].name_1'), ["items", 0, 'odd "key"', "name_1"]);
});

test("replaces a value at a path without changing the original", () => {
  const value = { items: [{ name: "a" }], size: 1 };
  assert.deepEqual(placed(value, ["items", 0, "name"], null), { items: [{ name: null }], size: 1 });
  assert.deepEqual(placed(value, ["size"], missing), { items: [{ name: "a" }] });
  assert.deepEqual(placed(undefined, ["a", 0], 1), { a: [1] });
  assert.equal(placed(value, [], missing), missing);
  assert.deepEqual(value, { items: [{ name: "a" }], size: 1 });
  // The property must be an own one, as after `JSON.parse`, and not the prototype.
  const odd = placed({}, ["__proto__"], 1);
  assert.ok(Object.hasOwn(odd as object, "__proto__"));
});

test("nests a value within itself to the given number of levels", () => {
  const deep = nested(300, ["children", 0], { name: "a", children: [] });
  const way = Array.from({ length: 299 }, () => ["children", 0]).flat();
  assert.deepEqual(valueAt(deep, way), { name: "a", children: [] });
  assert.equal(valueAt(deep, [...way, "children", 0]), undefined);
});
