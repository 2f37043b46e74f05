import type { CompiledRouteNode, CompiledRouteTree } from "@kit/types";

import { methodIndex, UNKNOWN_METHOD, withHead } from "./methods.ts";

/** A node in the form that matching wants. */
export interface MatchNode {
  /** By decoded text. A `Map`, so that `constructor` and `__proto__` are text like any other. */
  readonly statics: Map<string, MatchNode> | null;
  /** The parameter or wildcard below: never both. */
  readonly rest: MatchNode | null;
  readonly restIsWildcard: boolean;
  /** A bit for each method that has a route here. */
  readonly mask: number;
  /** Route numbers by method index; -1 where there is none. */
  readonly routes: readonly number[];
}

const NO_ROUTES: readonly number[] = Object.freeze(Array.from({ length: UNKNOWN_METHOD + 1 }, () => -1));

/**
 * Reads a compiled tree. It is checked as strictly as the native server does, because a file that was edited by hand must
 * not lead to requests that are answered wrongly.
 *
 * @throws {TypeError} that says what is wrong and where.
 */
export function loadTree(tree: CompiledRouteTree, routes: readonly string[]): MatchNode {
  const numbers = new Map<string, number>();
  for (const [number, ref] of routes.entries()) {
    if (numbers.has(ref)) throw malformed(`the route ${ref} stands twice`);
    numbers.set(ref, number);
  }
  if (tree.root.segment !== "" || tree.root.paramName !== undefined) {
    throw malformed("its root has a segment");
  }
  const unused = new Map(numbers);
  const root = loadNode(tree.root, "", (ref) => {
    const number = numbers.get(ref);
    if (number === undefined) throw malformed(`it names ${ref}, which is not in the list of routes`);
    if (!unused.delete(ref)) throw malformed(`the route ${ref} stands twice`);
    return number;
  });
  for (const ref of unused.keys()) throw malformed(`the route ${ref} is not in it`);
  return root;
}

function loadNode(node: CompiledRouteNode, at: string, numberOf: (ref: string) => number): MatchNode {
  const { mask, routes } = loadMethods(node, at, numberOf);
  const statics = new Map<string, MatchNode>();
  let rest: MatchNode | null = null;
  let restIsWildcard = false;
  for (const child of node.children) {
    const below = `${at}/${child.segment}${child.paramName ?? ""}`;
    if (child.paramName === undefined) {
      if (child.wildcard) throw malformed(`the wildcard at ${below} has no name`);
      if (child.segment === "") throw malformed(`there is an empty segment at ${below}`);
      if (statics.has(child.segment)) throw malformed(`there are two nodes for ${below}`);
      statics.set(child.segment, loadNode(child, below, numberOf));
      continue;
    }
    const wildcard = child.wildcard === true;
    if (child.segment !== (wildcard ? "*" : ":")) {
      throw malformed(`${child.segment} at ${below} is not the segment of a parameter`);
    }
    if (rest !== null) throw malformed(`${below} stands beside another parameter or wildcard`);
    if (wildcard && child.children.length > 0) throw malformed(`something follows the wildcard at ${below}`);
    rest = loadNode(child, below, numberOf);
    restIsWildcard = wildcard;
  }
  return { statics: statics.size > 0 ? statics : null, rest, restIsWildcard, mask, routes };
}

function loadMethods(
  node: CompiledRouteNode,
  at: string,
  numberOf: (ref: string) => number,
): { mask: number; routes: readonly number[] } {
  if (node.methods === undefined) return { mask: 0, routes: NO_ROUTES };
  const routes = [...NO_ROUTES];
  for (const [name, { ref }] of Object.entries(node.methods)) {
    const index = methodIndex(name);
    if (index === UNKNOWN_METHOD) throw malformed(`${name} at ${at || "/"} is not a method`);
    routes[index] = numberOf(ref);
  }
  withHead(routes);
  let mask = 0;
  for (const [index, route] of routes.entries()) if (route !== -1) mask |= 1 << index;
  return { mask, routes };
}

function malformed(what: string): TypeError {
  return new TypeError(`The compiled route tree is not valid: ${what}. Run \`kit build\` to make it anew.`);
}
