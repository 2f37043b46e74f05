import type { CompiledRouteTree, RouteMatch } from "@kit/types";

import { loadTree } from "./load-tree.ts";
import type { MatchNode } from "./load-tree.ts";
import { methodIndex, methodsOf } from "./methods.ts";

/** Finds what answers a method and a path without its query. Never throws. */
export type Matcher = (method: string, path: string) => RouteMatch;

const SLASH = 47;
const NOT_FOUND: RouteMatch = Object.freeze({ kind: "not-found" });
const BAD_PATH: RouteMatch = Object.freeze({ kind: "bad-path" });

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
  const root = loadTree(tree, routes);
  const exact = new Map<string, MatchNode>();
  collectExact(root, "", exact);
  // A match without parameters is the same every time.
  const plain = routes.map((_, route): RouteMatch =>
    Object.freeze({ kind: "route", route, params: Object.freeze([]) }),
  );
  const refusals = new Map<number, RouteMatch>();
  // The state of a search. A search runs to its end before the next begins, so one set of arrays serves all.
  const bounds: number[] = [];
  const pending: { node: MatchNode; start: number; bounds: number }[] = [];

  function refuse(mask: number): RouteMatch {
    if (mask === 0) return NOT_FOUND;
    let refusal = refusals.get(mask);
    if (refusal === undefined) {
      refusal = Object.freeze({ kind: "method-not-allowed", allow: methodsOf(mask) });
      refusals.set(mask, refusal);
    }
    return refusal;
  }

  function found(route: number, path: string, escaped: boolean): RouteMatch {
    if (bounds.length === 0) return plain[route] ?? NOT_FOUND;
    const params: string[] = [];
    for (let index = 0; index < bounds.length; index += 2) {
      const raw = path.slice(bounds[index], bounds[index + 1]);
      params.push(escaped ? decodeURIComponent(raw) : raw);
    }
    return { kind: "route", route, params };
  }

  return (method, path) => {
    if (path.charCodeAt(0) !== SLASH) return NOT_FOUND;
    const escaped = path.includes("%");
    if (escaped && !isDecodable(path)) return BAD_PATH;
    const index = methodIndex(method);
    if (!escaped) {
      const route = exact.get(path)?.routes[index] ?? -1;
      if (route !== -1) return plain[route] ?? NOT_FOUND;
    }
    bounds.length = 0;
    pending.length = 0;

    if (path.length === 1) return refuse(root.mask);
    const end = path.charCodeAt(path.length - 1) === SLASH ? path.length - 1 : path.length;
    let node = root;
    let start = 1;
    let tryStatic = true;
    let allow = 0;
    // One segment a round. Where a node has both a static child that fits and a parameter or wildcard, the static one is
    // taken and the other noted; the last one noted is tried when the walk ends without a route.
    for (;;) {
      let stop = path.indexOf("/", start);
      if (stop === -1 || stop > end) stop = end;
      let next: MatchNode | undefined;
      if (tryStatic && node.statics !== null) {
        const text = path.slice(start, stop);
        next = node.statics.get(escaped ? decodeURIComponent(text) : text);
      }
      if (next !== undefined) {
        if (node.rest !== null) pending.push({ node, start, bounds: bounds.length });
      } else if (node.rest !== null) {
        if (node.restIsWildcard) stop = end;
        if (start < stop) {
          bounds.push(start, stop);
          next = node.rest;
        }
      }
      if (next !== undefined) {
        if (stop < end) {
          node = next;
          start = stop + 1;
          tryStatic = true;
          continue;
        }
        const route = next.routes[index] ?? -1;
        if (route !== -1) return found(route, path, escaped);
        allow |= next.mask;
      }
      const alternative = pending.pop();
      if (alternative === undefined) return refuse(allow);
      ({ node, start } = alternative);
      bounds.length = alternative.bounds;
      tryStatic = false;
    }
  };
}

/**
 * Nodes that static segments alone lead to, by path. The search prefers static segments at every level, so where such a
 * node has the method, it is what the search would find. A text with a slash in it is none that a path without escapes can have.
 */
function collectExact(node: MatchNode, path: string, into: Map<string, MatchNode>): void {
  if (node.mask !== 0) into.set(path === "" ? "/" : path, node);
  for (const [text, child] of node.statics ?? []) {
    if (!text.includes("/")) collectExact(child, `${path}/${text}`, into);
  }
}

/** A slash is a character of its own in UTF-8, so a path decodes exactly where each of its segments does. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
