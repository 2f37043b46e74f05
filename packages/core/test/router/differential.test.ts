/**
 * Compares the matcher with a reference matcher for random routes and requests. The reference is simple: it checks
 * every route.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import type { RouteMatch } from "@kit/types";

import { createMatcher } from "../../src/router/matcher.ts";
import { compileRoutes } from "./compile.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Random generator mulberry32 with a fixed seed, so that failures are reproducible. */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

const below = randomFrom(0x5eed);
const pick = (from: readonly string[]): string => from[below(from.length)] ?? "";

/**
 * Segments of random routes. Some share a prefix, and some differ only in the high bits of their first character, so
 * that nodes are split and share table entries.
 */
const NAMES = [
  "a",
  "a",
  "ab",
  "abc",
  "b",
  "!b",
  "é",
  "a%2Fb",
  "50%25",
  "%F0%90%90%AF",
  "constructor",
  "__proto__",
];

function randomRoute(): string {
  const depth = below(5);
  let path = "";
  for (let level = 0; level < depth; level++) {
    const die = below(10);
    if (die < 4) path += `/:p${level}`;
    else if (die === 4 && level + 1 === depth) path += `/*w${level}`;
    else path += `/${pick(NAMES)}`;
  }
  return `${pick(METHODS)} ${path === "" || below(4) === 0 ? `${path}/` : path}`;
}

const TEXTS = [
  "a",
  "a",
  "b",
  "b",
  "ab",
  "abc",
  "abcd",
  "a%62c",
  "!b",
  "%21b",
  "%61",
  "50%25",
  "50%2525",
  "\u{1042F}",
  "%F0%90%90%AF",
  "a%2fb",
  "é",
  "%C3%A9",
  "a%2Fb",
  "constructor",
  "__proto__",
  "x%20y",
  "",
  "+",
  "%zz",
  "%C3",
];

function randomPath(): string {
  let path = "";
  for (let count = below(6); count > 0; count--) path += `/${pick(TEXTS)}`;
  return below(4) === 0 || (path === "" && below(8) > 0) ? `${path}/` : path;
}

/**
 * Returns a route without the names of its parameters: `GET /notes/:id` gives `GET /notes/:`. The compiler refuses two
 * routes with the same result.
 */
function shapeOf(route: string): string {
  const shape = route.replace(/([:*])\w+/g, "$1").replace(/%2F/g, "\0");
  return /\w \/$/.test(shape) ? shape : shape.replace(/\/$/, "");
}

function randomRoutes(): string[] {
  const routes: string[] = [];
  for (let count = below(25); count > 0; count--) {
    const route = randomRoute();
    const path = shapeOf(route).replace(/^\w+ /, "");
    // Conflicting routes are left out, because a build would refuse them.
    const conflicts = routes.some((other) => {
      const there = shapeOf(other).replace(/^\w+ /, "");
      return shapeOf(other) === shapeOf(route) || hasBeside(path, there) || hasBeside(there, path);
    });
    if (!conflicts) routes.push(route);
  }
  return routes;
}

/** Returns true if `path` has a wildcard at the segment at which the path `there` has a parameter. */
function hasBeside(path: string, there: string): boolean {
  return path.endsWith("*") && `${there}/`.startsWith(`${path.slice(0, -1)}:/`);
}

function segmentsOf(path: string): string[] {
  if (path === "/") return [];
  const segments = path.slice(1).split("/");
  if (segments.length > 1 && segments.at(-1) === "") segments.pop();
  return segments;
}

/** Decodes a segment. Escapes of reserved characters remain different from the characters. */
function meaningOf(segment: string): string {
  const reserved = /%(2[14679Bb8CcFf]|3[BbDd]|40|5[BbDd])/g;
  return decodeURIComponent(segment.replace(reserved, (_, digits: string) => `\0${digits.toUpperCase()}`));
}

/** Returns how specific a route is for a path, with its parameters. `null` if the route does not match. */
function fit(pattern: string, path: string): { kinds: string; params: string[] } | null {
  const parts = segmentsOf(pattern);
  const segments = segmentsOf(path);
  let kinds = "";
  const params: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.startsWith("*")) {
      const rest = decodeURIComponent(segments.slice(index).join("/"));
      return rest === "" ? null : { kinds: `${kinds}2`, params: [...params, rest] };
    }
    const here = segments[index];
    if (here === undefined) return null;
    if (part.startsWith(":")) {
      if (here === "") return null;
      kinds += "1";
      params.push(decodeURIComponent(here));
    } else if (meaningOf(part) === meaningOf(here)) {
      kinds += "0";
    } else {
      return null;
    }
  }
  return parts.length === segments.length ? { kinds, params } : null;
}

function naive(routes: readonly string[], method: string, path: string): RouteMatch {
  if (!path.startsWith("/")) return { kind: "not-found" };
  try {
    decodeURIComponent(path);
  } catch {
    return { kind: "bad-path" };
  }
  const fitting = routes.flatMap((ref, route) => {
    const [has = "", pattern = ""] = ref.split(" ");
    const fits = fit(pattern, path);
    return fits ? [{ ...fits, has, route }] : [];
  });
  const best = fitting
    .filter(({ has }) => has === method || (method === "HEAD" && has === "GET"))
    // The most specific route. With equal patterns, HEAD's own route takes precedence over the GET route.
    .toSorted((a, b) =>
      a.kinds === b.kinds ? Number(b.has === method) - Number(a.has === method) : a.kinds < b.kinds ? -1 : 1,
    )[0];
  if (best) return { kind: "route", route: best.route, params: best.params };
  const allow = METHODS.filter((name) =>
    fitting.some(({ has }) => has === name || (name === "HEAD" && has === "GET")),
  );
  return allow.length > 0 ? { kind: "method-not-allowed", allow } : { kind: "not-found" };
}

test("the matcher agrees with a reference matcher for random routes and requests", () => {
  const counts = { route: 0, "not-found": 0, "method-not-allowed": 0, "bad-path": 0 };
  for (let round = 0; round < 1000; round++) {
    const routes = randomRoutes();
    const match = createMatcher(compileRoutes(routes), routes);
    for (let request = 0; request < 80; request++) {
      const method = pick([...METHODS, "TRACE"]);
      const path = randomPath();
      const actual = match(method, path);
      counts[actual.kind]++;
      assert.deepEqual(
        actual,
        naive(routes, method, path),
        `${method} ${path} with ${JSON.stringify(routes, null, 1)}`,
      );
    }
  }
  assert.ok(
    Object.values(counts).every((count) => count > 500),
    `every kind of answer is tried often: ${JSON.stringify(counts)}`,
  );
});

test("the time of a search in the most ambiguous tree is limited by the size of the tree", (t) => {
  const depth = 12;
  const routes = Array.from({ length: 2 ** depth }, (_, choices) => {
    const segments = Array.from({ length: depth }, (__, level) =>
      (choices >> level) & 1 ? `:p${level}` : "a",
    );
    return `GET /${segments.join("/")}`;
  });
  const match = createMatcher(compileRoutes(routes), routes);
  // A search reads the path only through these methods.
  const counted = (["charCodeAt", "indexOf"] as const).map((name) => t.mock.method(String.prototype, name));
  const answer = match("GET", "/a".repeat(5000));
  const looked = counted.reduce((sum, method) => sum + method.mock.callCount(), 0);
  for (const method of counted) method.mock.restore();
  assert.equal(answer.kind, "not-found");
  // Each node is entered once, and left for a child and for a parameter, with a few characters each.
  assert.ok(looked > 2 ** depth && looked <= 8 * 2 ** (depth + 1), `${looked} looks`);
});

test("an escaped slash does not separate segments, and an unpaired surrogate is a bad path", () => {
  const routes = ["GET /a%2Fb", "GET /:p/50%25"];
  const match = createMatcher(compileRoutes(routes), routes);
  assert.deepEqual(match("GET", "/a%2Fb"), { kind: "route", route: 0, params: [] });
  assert.deepEqual(match("GET", "/a%2fb/50%25"), { kind: "route", route: 1, params: ["a/b"] });
  // An unpaired surrogate has no UTF-8 form, and no server passes one on.
  assert.deepEqual(match("GET", "/a\uDC2Fb"), { kind: "bad-path" });
  assert.deepEqual(match("GET", "/x\uDC2F%61/50%25"), { kind: "bad-path" });
});
