import type { CompiledRouteNode, CompiledRouteTree } from "@kit/types";

import { methodIndex, UNKNOWN_METHOD, withHead } from "./methods.ts";
import { normalPath } from "./normal-path.ts";

/** Node of the loaded tree: one path segment. */
export interface RouteNode {
  /** Literal text of a static segment, in the normal form of paths. `:` or `*` for a parameter or wildcard. */
  readonly text: string;
  /** Static child segments, sorted by text. */
  readonly statics: readonly RouteNode[];
  /** Child that is a parameter or a wildcard. A node has at most one such child. */
  readonly rest: RouteNode | null;
  readonly isWildcard: boolean;
  /** Bit mask of the methods that have a route at this node. */
  readonly methods: number;
  /** Route numbers, in the order of the methods. */
  readonly routes: readonly number[];
}

const NO_ROUTES: readonly number[] = Object.freeze([]);
const NO_PLACES: readonly RouteNode[] = Object.freeze([]);

/**
 * Loads a compiled tree. The validation is as strict as in the native server, because a tree that was edited by hand
 * must not cause wrong responses.
 *
 * @throws {TypeError} If the tree is invalid. The message names the problem and its location.
 */
export function loadTree(tree: CompiledRouteTree, routes: readonly string[]): RouteNode {
  const numbers = new Map<string, number>();
  for (const [number, ref] of routes.entries()) {
    numbers.set(ref, number);
    if (numbers.size === number) throw malformed(`the route ${ref} occurs twice`);
  }
  if (tree.root.segment !== "" || tree.root.paramName !== undefined) {
    throw malformed("its root has a segment");
  }
  const reader = new Reader(numbers);
  const root = reader.place(tree.root, null);
  for (const [ref, number] of numbers) {
    if (!reader.isUsed(number)) throw malformed(`the route ${ref} is not in it`);
  }
  return root;
}

/** Node with the nodes above it. Converted to a path only for an error message. */
interface Trail {
  readonly node: CompiledRouteNode;
  readonly above: Trail | null;
}

class Reader {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #used: Uint8Array;
  readonly #routes: number[] = Array.from({ length: UNKNOWN_METHOD }, () => -1);

  constructor(numbers: ReadonlyMap<string, number>) {
    this.#numbers = numbers;
    this.#used = new Uint8Array(numbers.size);
  }

  isUsed(number: number): boolean {
    return this.#used[number] === 1;
  }

  place(node: CompiledRouteNode, above: Trail | null): RouteNode {
    const trail = { node, above };
    let statics: RouteNode[] | null = null;
    let rest: RouteNode | null = null;
    for (const child of node.children) {
      if (child.paramName === undefined) {
        if (child.wildcard)
          throw malformed(`the wildcard at ${pathOf({ node: child, above: trail })} has no name`);
        if (child.segment === "") {
          throw malformed(`there is an empty segment at ${pathOf({ node: child, above: trail })}`);
        }
        statics ??= [];
        statics.push(this.place(child, trail));
        continue;
      }
      const isWildcard = child.wildcard === true;
      const below = { node: child, above: trail };
      if (child.segment !== (isWildcard ? "*" : ":")) {
        throw malformed(`${child.segment} at ${pathOf(below)} is not the segment of a parameter`);
      }
      if (rest !== null) throw malformed(`${pathOf(below)} conflicts with another parameter or wildcard`);
      if (isWildcard && child.children.length > 0) {
        throw malformed(`a segment follows the wildcard at ${pathOf(below)}`);
      }
      rest = this.place(child, trail);
    }
    if (statics !== null && statics.length > 1) {
      statics.sort((left, right) => (left.text < right.text ? -1 : 1));
      for (let index = 1; index < statics.length; index++) {
        const text = (statics[index] as RouteNode).text;
        if (statics[index - 1]?.text === text) {
          throw malformed(`there are two nodes for ${pathOf(trail)}/${text}`);
        }
      }
    }
    const methods = node.methods === undefined ? 0 : this.#readMethods(node.methods, trail);
    // The compiler writes segments in the normal form. A file that was edited by hand, or written by an older release,
    // may not have it.
    const text = normalPath(node.segment);
    if (text === null || text.includes("/")) {
      throw malformed(`${node.segment} at ${pathOf(trail)} is not the text of one segment`);
    }
    return {
      text,
      statics: statics ?? NO_PLACES,
      rest,
      isWildcard: node.wildcard === true,
      methods,
      routes: methods === 0 ? NO_ROUTES : this.#routesOf(methods),
    };
  }

  /** Stores route numbers in `#routes`, by method index. Returns the bit mask of the methods that have a route. */
  #readMethods(methods: NonNullable<CompiledRouteNode["methods"]>, trail: Trail): number {
    const routes = this.#routes.fill(-1);
    // `Object.entries` would take most of the loading time.
    for (const name of Object.keys(methods)) {
      const index = methodIndex(name);
      if (index === UNKNOWN_METHOD) throw malformed(`${name} at ${pathOf(trail) || "/"} is not a method`);
      const ref = methods[name]?.ref as string;
      const number = this.#numbers.get(ref);
      if (number === undefined) throw malformed(`the tree names ${ref}, which is not in the list of routes`);
      if (this.#used[number] === 1) throw malformed(`the route ${ref} occurs twice`);
      this.#used[number] = 1;
      routes[index] = number;
    }
    withHead(routes);
    let bits = 0;
    for (let index = 0; index < UNKNOWN_METHOD; index++) if (routes[index] !== -1) bits |= 1 << index;
    return bits;
  }

  #routesOf(methods: number): number[] {
    const routes: number[] = [];
    for (let index = 0; index < UNKNOWN_METHOD; index++) {
      if ((methods & (1 << index)) !== 0) routes.push(this.#routes[index] as number);
    }
    return routes;
  }
}

function pathOf(trail: Trail | null): string {
  if (trail === null || trail.above === null) return "";
  return `${pathOf(trail.above)}/${trail.node.segment}${trail.node.paramName ?? ""}`;
}

function malformed(what: string): TypeError {
  return new TypeError(`The compiled route tree is not valid: ${what}. Run \`kit build\` again.`);
}
