import type { CompiledRouteTree, RouteMatch } from "@kit/types";

import { loadTree } from "./load-tree.ts";
import { methodIndex, methodsOf } from "./methods.ts";
import { normalPath } from "./normal-path.ts";
import { ALLOW, META, pack, RANK, ROUTES } from "./packed.ts";
import { searcher } from "./search.ts";

/** Finds what answers a method and a path without its query. Never throws. */
export type Matcher = (method: string, path: string) => RouteMatch;

const SLASH = 47;
const END_KEYS = 256;
const nonAscii = /[\u0080-\uFFFF]/;
const NOT_FOUND: RouteMatch = Object.freeze({ kind: "not-found" });
const BAD_PATH: RouteMatch = Object.freeze({ kind: "bad-path" });
const NO_PARAMS: readonly string[] = Object.freeze([]);

/**
 * Makes the matcher for adapters whose server does not match itself. Its rules are those of the crate `kit-router`, which says them
 * in full; both pass `conformance/router.json`.
 *
 * A route's number is the index of its ref in `routes`.
 *
 * @example
 * ```ts
 * const match = createMatcher(compiled.tree, compiled.routes.map((route) => route.ref));
 * match("GET", "/notes/a%20b"); // { kind: "route", route: 1, params: ["a b"] }
 * match("PUT", "/notes"); // { kind: "method-not-allowed", allow: ["GET", "HEAD", "POST"] }
 * ```
 * @throws {TypeError} where the tree is malformed or does not have exactly these routes.
 */
export function createMatcher(tree: CompiledRouteTree, routes: readonly string[]): Matcher {
  const packed = pack(loadTree(tree, routes));
  const { nodes, exact, hasEscapes } = packed;
  const { search, bounds } = searcher(packed);
  const ends = new Uint8Array(END_KEYS);
  for (const path of exact.keys()) ends[endKey(path)] = 1;
  // Answers that are the same every time, made when they are first needed.
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

  /** The methods of all places that fit the path of a node, which are noted there. */
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
    // Most paths with parameters are told apart before they are hashed.
    const node = ends[endKey(path)] === 1 ? exact.get(path) : undefined;
    if (node !== undefined) {
      const meta = at(node + META);
      if ((meta & bit) !== 0) {
        return plainRoute(at(node + ROUTES) + (RANK[meta & (bit - 1)] as number));
      }
      // Where a parameter or wildcard that fits too has the method, the search below finds it.
      const methods = meta >> ALLOW || methodsThatFit(path, node);
      if ((methods & bit) === 0) return refuse(methods);
    }
    if (path.length === 1 || path.charCodeAt(0) !== SLASH) return NOT_FOUND;
    // Text outside of ASCII, which only a program can pass, is escaped in the tree.
    const isPlain = !path.includes("%") && !(hasEscapes && nonAscii.test(path));
    return isPlain ? matchPlain(bit, path) : matchNormal(bit, path);
  };

  /** Matches a path without escapes. */
  function matchPlain(bit: number, path: string): RouteMatch {
    const found = search(path, endOf(path), bit);
    if (found < 0) return refuse(-1 - found);
    const count = bounds.count;
    if (count === 0) return plainRoute(found);
    // An array that is filled one by one takes several times as long, and as much memory.
    if (count === 2) return { kind: "route", route: routeAt(found), params: [valueAt(path, 0)] };
    if (count === 4) {
      return { kind: "route", route: routeAt(found), params: [valueAt(path, 0), valueAt(path, 2)] };
    }
    const params = [valueAt(path, 0), valueAt(path, 2), valueAt(path, 4)];
    for (let index = 6; index < count; index += 2) params.push(valueAt(path, index));
    return { kind: "route", route: routeAt(found), params };
  }

  /** Matches a path that has escapes: brings it into the normal form, and decodes the values of parameters. */
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
    // Decodes: the whole path does, and a slash is a character of its own in UTF-8.
    for (let index = 0; index < bounds.count; index += 2) {
      params.push(decodeURIComponent(valueAt(path, index)));
    }
    return { kind: "route", route: routeAt(found), params };
  }
}

/** A small number that paths of the same length and last character share. */
function endKey(path: string): number {
  const last = path.length - 1;
  return (path.charCodeAt(last) + 37 * last) & (END_KEYS - 1);
}

/** Where a path ends without its trailing slash. */
function endOf(path: string): number {
  const last = path.length - 1;
  return path.charCodeAt(last) === SLASH ? last : last + 1;
}
