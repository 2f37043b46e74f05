import type { CompiledRouteTree, RouteMatch } from "@kit/types";

import { loadTree } from "./load-tree.ts";
import { methodIndex, methodsOf } from "./methods.ts";
import { normalPath } from "./normal-path.ts";
import { ALLOW, META, pack, BIT_COUNT, ROUTES } from "./packed.ts";
import { searcher } from "./search.ts";

/** Finds the route for a method and a path without its query. Never throws. */
export type Matcher = (method: string, path: string) => RouteMatch;

const SLASH = 47;
const END_KEYS = 256;
const nonAscii = /[\u0080-\uFFFF]/;
const NOT_FOUND: RouteMatch = Object.freeze({ kind: "not-found" });
const BAD_PATH: RouteMatch = Object.freeze({ kind: "bad-path" });
const NO_PARAMS: readonly string[] = Object.freeze([]);

/**
 * Creates the matcher for adapters whose server has no matcher. The rules are the same as in the crate
 * `kit-router`, which documents them in full. Both implementations pass `conformance/router.json`.
 *
 * @param tree - Compiled route tree.
 * @param routes - Refs of the routes, such as `GET /notes/:id`. The number of a route is the index of its ref.
 * @example
 * ```ts
 * const match = createMatcher(compiled.tree, compiled.routes.map((route) => route.ref));
 * match("GET", "/notes/a%20b"); // { kind: "route", route: 1, params: ["a b"] }
 * match("PUT", "/notes"); // { kind: "method-not-allowed", allow: ["GET", "HEAD", "POST"] }
 * ```
 * @throws {TypeError} If the tree is malformed, or if its routes are not exactly `routes`.
 */
export function createMatcher(tree: CompiledRouteTree, routes: readonly string[]): Matcher {
  const packed = pack(loadTree(tree, routes));
  const { nodes, exact, hasEscapes } = packed;
  const { search, bounds } = searcher(packed);
  const ends = new Uint8Array(END_KEYS);
  for (const path of exact.keys()) ends[endKey(path)] = 1;
  // Results that are always the same, created on first use.
  const plain: (RouteMatch | undefined)[] = [];
  const refusals: (RouteMatch | undefined)[] = [];

  function at(index: number): number {
    return nodes[index] as number;
  }

  function routeAt(index: number): number {
    return packed.routes[index] as number;
  }

  function plainRoute(index: number): RouteMatch {
    return (plain[index] ??= Object.freeze({ kind: "route", route: routeAt(index), params: NO_PARAMS }));
  }

  function refuse(methods: number): RouteMatch {
    if (methods === 0) return NOT_FOUND;
    return (refusals[methods] ??= Object.freeze({ kind: "method-not-allowed", allow: methodsOf(methods) }));
  }

  /** Returns the methods of all routes that match a path without parameters. Caches them in the path's node. */
  function methodsThatFit(path: string, node: number): number {
    const methods = path === "/" ? at(node + META) : -1 - search(path, path.length, 0);
    nodes[node + META] = at(node + META) | (methods << ALLOW);
    return methods;
  }

  function valueAt(path: string, index: number): string {
    return path.substring(bounds.places[index] as number, bounds.places[index + 1] as number);
  }

  return (method, path) => {
    const bit = 1 << methodIndex(method);
    if (path === "") return NOT_FOUND;
    // Most paths with parameters are excluded here, before they are hashed.
    const node = ends[endKey(path)] === 1 ? exact.get(path) : undefined;
    if (node !== undefined) {
      const meta = at(node + META);
      if ((meta & bit) !== 0) {
        return plainRoute(at(node + ROUTES) + (BIT_COUNT[meta & (bit - 1)] as number));
      }
      // If a matching parameter or wildcard has the method, the search below finds its route.
      const methods = meta >> ALLOW || methodsThatFit(path, node);
      if ((methods & bit) === 0) return refuse(methods);
    }
    if (path.length === 1 || path.charCodeAt(0) !== SLASH) return NOT_FOUND;
    // Non-ASCII text, which only a program can pass, is escaped in the tree.
    const isPlain = !path.includes("%") && !(hasEscapes && nonAscii.test(path));
    return isPlain ? matchPlain(bit, path) : matchNormal(bit, path);
  };

  /** Matches a path without escapes. */
  function matchPlain(bit: number, path: string): RouteMatch {
    const found = search(path, endOf(path), bit);
    if (found < 0) return refuse(-1 - found);
    const count = bounds.count;
    if (count === 0) return plainRoute(found);
    // An array literal is several times faster than an array that is filled in a loop, and needs less memory.
    if (count === 2) return { kind: "route", route: routeAt(found), params: [valueAt(path, 0)] };
    if (count === 4) {
      return { kind: "route", route: routeAt(found), params: [valueAt(path, 0), valueAt(path, 2)] };
    }
    const params = [valueAt(path, 0), valueAt(path, 2), valueAt(path, 4)];
    for (let index = 6; index < count; index += 2) params.push(valueAt(path, index));
    return { kind: "route", route: routeAt(found), params };
  }

  /** Matches a path with escapes: converts it to the normal form, and decodes the values of parameters. */
  function matchNormal(bit: number, path: string): RouteMatch {
    const normal = normalPath(path);
    if (normal === null) return BAD_PATH;
    const found = search(normal, endOf(normal), bit);
    if (found < 0) return refuse(-1 - found);
    if (bounds.count === 0) return plainRoute(found);
    return withDecoded(found, normal);
  }

  function withDecoded(found: number, path: string): RouteMatch {
    const params: string[] = [];
    // Decoding cannot fail: the whole path is valid, and in UTF-8 a slash is never part of another character.
    for (let index = 0; index < bounds.count; index += 2) {
      params.push(decodeURIComponent(valueAt(path, index)));
    }
    return { kind: "route", route: routeAt(found), params };
  }
}

/**
 * Returns a small number made from the length and the last character of a path. If no path without parameters has
 * this number, the path needs no look-up in the map of these paths.
 */
function endKey(path: string): number {
  const last = path.length - 1;
  return (path.charCodeAt(last) + 37 * last) & (END_KEYS - 1);
}

/** Returns the length of a path without its trailing slash. */
function endOf(path: string): number {
  const last = path.length - 1;
  return path.charCodeAt(last) === SLASH ? last : last + 1;
}
