import assert from "node:assert/strict";
import { test } from "node:test";

import { circularUse, type Imports } from "../src/dev/import-cycle.ts";

const at = (name: string): string => `file:///my%20app/src/${name}.ts`;
const imports = (...edges: readonly (readonly [string, readonly string[]])[]): Imports =>
  new Map(edges.map(([from, to]) => [at(from), new Set(to.map(at))]));
const thrown = (frame: string, message = "Cannot access 'app' before initialization"): ReferenceError => {
  const error = new ReferenceError(message);
  error.stack = `ReferenceError: ${message}\n    at ${frame}\n    at ${at("main")}:1:1`;
  return error;
};

test("returns the shortest import cycle that contains the file with the early use of a variable", () => {
  const graph = imports(
    ["main", ["app"]],
    ["app", ["x", "auth"]],
    ["x", ["y"]],
    ["y", ["auth"]],
    ["auth", ["app"]],
  );
  const use = { name: "app", module: at("auth"), line: 3, column: 15 };
  const cycle = [at("auth"), at("app"), at("auth")];
  assert.deepEqual(circularUse(thrown(`${at("auth")}:3:15`), graph), { ...use, cycle });
  assert.deepEqual(circularUse(thrown(`load (${at("auth")}:3:15)`), graph), { ...use, cycle });
});

test("treats a file that imports itself as a cycle", () => {
  const found = circularUse(thrown(`${at("app")}:1:1`), imports(["app", ["app"]]));
  assert.deepEqual(found?.cycle, [at("app"), at("app")]);
});

test("returns undefined for an early use without an import cycle, and for other errors", () => {
  const graph = imports(["main", ["app"]], ["app", ["auth"]]);
  assert.equal(circularUse(thrown(`${at("auth")}:3:15`), graph), undefined);
  assert.equal(
    circularUse(thrown(`${at("auth")}:3:15`, "x is not defined"), imports(["auth", ["auth"]])),
    undefined,
  );
  assert.equal(circularUse(new Error("Cannot access 'app' before initialization"), graph), undefined);
  assert.equal(circularUse("text", graph), undefined);
});
