import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import type { CompiledRouteTree, RouteMatch } from "@kit/types";

import { createMatcher } from "../../src/router/matcher.ts";
import { compileRoutes } from "./compile.ts";

type Expected = "not-found" | "bad-path" | { route: string; params: string[] } | { allow: string[] };

interface Corpus {
  groups: { name: string; routes: string[]; requests: [string, string, Expected][] }[];
  document: { routes: string[]; generatedAt: string; tree: CompiledRouteTree };
}

const corpus = JSON.parse(
  readFileSync(new URL("../../../../conformance/router.json", import.meta.url), "utf8"),
) as Corpus;

function plain(match: RouteMatch, routes: readonly string[]): Expected {
  switch (match.kind) {
    case "route":
      return { route: routes[match.route] ?? "no such route", params: [...match.params] };
    case "method-not-allowed":
      return { allow: [...match.allow] };
    default:
      return match.kind;
  }
}

test("the conformance vectors of the router have at least thirty groups", () => {
  assert.ok(corpus.groups.length >= 30);
});

for (const { name, routes, requests } of corpus.groups) {
  test(`the router passes the conformance vectors: ${name}`, () => {
    const match = createMatcher(compileRoutes(routes), routes);
    for (const [method, path, expected] of requests) {
      assert.deepEqual(plain(match(method, path), routes), expected, `${method} ${path}`);
    }
    // Also in reverse order, to check that a search does not affect the next one.
    for (const [method, path, expected] of requests.toReversed()) {
      assert.deepEqual(plain(match(method, path), routes), expected, `${method} ${path}`);
    }
  });
}

test("the trees that these tests create equal the trees that the compiler creates", () => {
  const { routes, generatedAt, tree } = corpus.document;
  assert.deepEqual(compileRoutes(routes, generatedAt), tree);
  const match = createMatcher(tree, routes);
  assert.deepEqual(match("PUT", "/users/7"), { kind: "route", route: 4, params: ["7"] });
});
