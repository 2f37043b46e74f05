import assert from "node:assert/strict";
import { test } from "node:test";

import type { CompiledRouteNode, CompiledRouteTree } from "@kit/types";

import { createMatcher } from "../../src/router/matcher.ts";

const metadata = { totalRoutes: 1, maxDepth: 1, staticRoutes: 1, parameterizedRoutes: 0, generatedAt: "" };

const treeOf = (...children: CompiledRouteNode[]): CompiledRouteTree => ({
  root: { segment: "", children },
  metadata,
});

const leaf = (segment: string, ref: string, more: Partial<CompiledRouteNode> = {}): CompiledRouteNode => ({
  segment,
  methods: { GET: { ref, validators: [] } },
  children: [],
  ...more,
});

const good = treeOf(leaf("a", "GET /a"));

const cases: [string, CompiledRouteTree, string[], RegExp][] = [
  ["a route that is not in the list", good, [], /names GET \/a, which is not in the list/],
  ["a route that is not in the tree", good, ["GET /a", "GET /b"], /the route GET \/b is not in it/],
  ["a route twice in the list", good, ["GET /a", "GET /a"], /GET \/a occurs twice/],
  ["a route twice in the tree", treeOf(leaf("a", "r"), leaf("b", "r")), ["r"], /the route r occurs twice/],
  [
    "an unknown method",
    treeOf(leaf("a", "r", { methods: { FETCH: { ref: "r", validators: [] } } })),
    ["r"],
    /FETCH at \/a/,
  ],
  [
    "a method named like an object's member",
    treeOf(leaf("a", "r", { methods: { constructor: { ref: "r", validators: [] } } })),
    ["r"],
    /constructor at \/a/,
  ],
  ["a root with a segment", { root: leaf("a", "r"), metadata }, ["r"], /its root has a segment/],
  ["an empty segment", treeOf(leaf("", "r")), ["r"], /empty segment/],
  ["two nodes for one segment", treeOf(leaf("a", "r"), leaf("a", "s")), ["r", "s"], /two nodes for \/a/],
  ["a wildcard without a name", treeOf(leaf("*", "r", { wildcard: true })), ["r"], /has no name/],
  [
    "a parameter with text",
    treeOf(leaf("a", "r", { paramName: "id" })),
    ["r"],
    /not the segment of a parameter/,
  ],
  [
    "a wildcard's sign without its mark",
    treeOf(leaf("*", "r", { paramName: "id" })),
    ["r"],
    /not the segment/,
  ],
  [
    "a wildcard beside a parameter",
    treeOf(leaf(":", "r", { paramName: "a" }), leaf("*", "s", { paramName: "b", wildcard: true })),
    ["r", "s"],
    /\/\*b conflicts with/,
  ],
  [
    "something below a wildcard",
    treeOf(leaf("*", "r", { paramName: "a", wildcard: true, children: [leaf("b", "s")] })),
    ["r", "s"],
    /follows the wildcard at \/\*a/,
  ],
];

test("loadTree accepts a valid tree", () => {
  assert.deepEqual(createMatcher(good, ["GET /a"])("GET", "/a"), { kind: "route", route: 0, params: [] });
});

for (const [name, tree, routes, message] of cases) {
  test(`loadTree refuses ${name}`, () => {
    assert.throws(
      () => createMatcher(tree, routes),
      (error: unknown) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, message);
        assert.match(error.message, /Run `kit build`/);
        return true;
      },
    );
  });
}
