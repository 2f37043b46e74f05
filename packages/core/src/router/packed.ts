import type { RouteNode } from "./load-tree.ts";

/**
 * Radix tree in flat arrays, which the search reads. The number of objects does not depend on the number of routes. A
 * node consists of {@link STRIDE} consecutive numbers in `nodes`, starting at its index.
 */
export interface Packed {
  readonly nodes: Int32Array;
  /** Code units (UTF-16) of the texts of all nodes, one text after the other. */
  readonly texts: Uint16Array;
  /** Tables with the children of a node, by the low bits of the first code unit of their texts. See {@link TABLE}. */
  readonly tables: Int32Array;
  /** Route numbers. The numbers of one node are adjacent, in the order of the methods. */
  readonly routes: Int32Array;
  /** Nodes of paths without parameters, by path. The path of the root is `/`. */
  readonly exact: Map<string, number>;
  /** Maximum number of segments of a path. */
  readonly depth: number;
  /** True if the text of a node contains a percent-escape, as every non-ASCII text does. */
  readonly hasEscapes: boolean;
}

/** Index that means "no node". The first node consists of placeholder values. */
export const NONE = 0;
/** Index of the node at which every path except `/` starts. Its text starts with the leading slash. */
export const ROOT = 8;
export const STRIDE = 8;

/** Position, within a node, of the index in `texts` at which the text of the node starts. */
export const TEXT = 0;
export const TEXT_END = 1;
/**
 * Position of the index in `tables` at which the children's table starts. The table has {@link TABLE_MASK} + 1 entries.
 */
export const TABLE = 2;
/** Position of the bit mask that converts a code unit to a table entry. The mask is -1 if there are no children. */
export const TABLE_MASK = 3;
/** Position of the next child with the same table entry. */
export const NEXT = 4;
/** Position of the child that is a parameter or a wildcard. */
export const REST = 5;
/**
 * Position of flags: the bits of methods, {@link IS_WILDCARD}, and from bit {@link ALLOW} on the methods of all nodes
 * that match an exact path, which are computed on first use.
 */
export const META = 6;
/** Position of the index in `routes` at which the route numbers of the node start. */
export const ROUTES = 7;

/** Bits of the seven methods. The bit of an unknown method is never set. */
export const METHOD_BITS = 0x7f;
export const IS_WILDCARD: number = 1 << 8;
export const ALLOW = 9;

/**
 * Widest mask of a table. If children have the same table entry even with this mask, they form a list.
 * Letters of the same case never have the same entry.
 */
const WIDEST_MASK = 63;

/** Number of set bits in a mask. */
export const BIT_COUNT: Uint8Array = Uint8Array.from({ length: METHOD_BITS + 1 }, (_, mask) => {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
});

/** Node before it is written to the arrays. */
interface DraftNode {
  text: string;
  children: DraftNode[];
  rest: DraftNode | null;
  place: RouteNode | null;
  /** Path of the node if it has no parameters. */
  path: string | null;
}

/** Packs the tree below a root. */
export function pack(root: RouteNode): Packed {
  const top = nodeAfterSlash(root, "/", "/");
  const packer = new Packer();
  packer.add(top);
  return packer.finish(root);
}

/**
 * Creates the node after a slash. `lead` is the text of the node, which ends with the slash. `path` is the
 * whole path up to and including this slash, or `null` if the path has parameters.
 */
function nodeAfterSlash(place: RouteNode, lead: string, path: string | null): DraftNode {
  const { statics, rest } = place;
  if (rest === null && statics.length > 0) {
    const first = statics[0] as RouteNode;
    const last = statics[statics.length - 1] as RouteNode;
    if (statics.length === 1 || first.text.charCodeAt(0) === last.text.charCodeAt(0)) {
      // There is no decision at this node, so it is merged with the node below.
      return group(statics, 0, statics.length, 0, lead, path);
    }
  }
  return {
    text: lead,
    children: childGroups(statics, 0, statics.length, 0, path),
    rest: rest === null ? null : segmentEnd(rest, "", null),
    place: null,
    path: null,
  };
}

/**
 * Creates the node for the common prefix of the sorted texts `places[low]` to `places[high - 1]`. The first `from` code
 * units are part of nodes above, so the prefix starts at `from`.
 */
function group(
  places: readonly RouteNode[],
  low: number,
  high: number,
  from: number,
  lead: string,
  path: string | null,
): DraftNode {
  const first = places[low] as RouteNode;
  if (high - low === 1) {
    return segmentEnd(first, lead + first.text.slice(from), path === null ? null : path + first.text);
  }
  const last = (places[high - 1] as RouteNode).text;
  const text = first.text;
  let to = from;
  while (to < text.length && text.charCodeAt(to) === last.charCodeAt(to)) to++;
  const whole = lead + text.slice(from, to);
  if (to === text.length) {
    // The first text is a prefix of the others.
    const node = segmentEnd(first, whole, path === null ? null : path + text, false);
    for (const child of childGroups(places, low + 1, high, to, path)) node.children.push(child);
    return node;
  }
  return {
    text: whole,
    children: childGroups(places, low, high, to, path),
    rest: null,
    place: null,
    path: null,
  };
}

function childGroups(
  places: readonly RouteNode[],
  low: number,
  high: number,
  from: number,
  path: string | null,
): DraftNode[] {
  const children: DraftNode[] = [];
  for (let start = low; start < high;) {
    const code = (places[start] as RouteNode).text.charCodeAt(from);
    let stop = start + 1;
    while (stop < high && (places[stop] as RouteNode).text.charCodeAt(from) === code) stop++;
    children.push(group(places, start, stop, from, "", path));
    start = stop;
  }
  return children;
}

/** Creates the node for the end of a segment. If no route ends there, creates the node for the following segments. */
function segmentEnd(place: RouteNode, text: string, path: string | null, canMerge = true): DraftNode {
  const isEnd = place.statics.length === 0 && place.rest === null;
  const below = path === null ? null : `${path}/`;
  // A parameter has no text, so nothing can be merged with it.
  if (canMerge && !isEnd && place.methods === 0 && text !== "")
    return nodeAfterSlash(place, `${text}/`, below);
  const children = isEnd ? [] : [nodeAfterSlash(place, "/", below)];
  return { text, children, rest: null, place, path };
}

class Packer {
  readonly #nodes: number[] = Array.from({ length: STRIDE }, () => 0);
  #texts = "";
  readonly #tables: number[] = [];
  readonly #routes: number[] = [];
  readonly #exact = new Map<string, number>();

  /** Adds nodes depth first, so that consecutive segments of a path are mostly adjacent in memory. */
  add({ text, children, rest, place, path }: DraftNode): number {
    const nodes = this.#nodes;
    const node = nodes.length;
    const start = this.#texts.length;
    this.#texts += text;
    const methods = place === null ? 0 : place.methods;
    const meta = methods | (place?.isWildcard ? IS_WILDCARD : 0);
    nodes.push(start, this.#texts.length, 0, -1, NONE, NONE, meta, this.#routes.length);
    if (place !== null) for (const route of place.routes) this.#routes.push(route);
    if (methods !== 0 && path !== null) this.#exact.set(path, node);
    if (children.length > 0) {
      const mask = maskOf(children);
      const table = this.#tables.length;
      nodes[node + TABLE] = table;
      nodes[node + TABLE_MASK] = mask;
      for (let slot = 0; slot <= mask; slot++) this.#tables.push(NONE);
      for (const child of children) {
        const slot = table + (child.text.charCodeAt(0) & mask);
        const added = this.add(child);
        nodes[added + NEXT] = this.#tables[slot] ?? NONE;
        this.#tables[slot] = added;
      }
    }
    if (rest !== null) nodes[node + REST] = this.add(rest);
    return node;
  }

  finish(root: RouteNode): Packed {
    const nodes = this.#nodes;
    const texts = new Uint16Array(this.#texts.length);
    for (let index = 0; index < texts.length; index++) texts[index] = this.#texts.charCodeAt(index);
    if (root.methods !== 0) {
      this.#exact.set("/", nodes.length);
      nodes.push(0, 0, 0, -1, NONE, NONE, root.methods, this.#routes.length);
      for (const route of root.routes) this.#routes.push(route);
    }
    return {
      nodes: new Int32Array(nodes),
      texts,
      tables: new Int32Array(this.#tables),
      routes: new Int32Array(this.#routes),
      exact: this.#exact,
      depth: depthOf(root),
      hasEscapes: this.#texts.includes("%"),
    };
  }
}

/** Returns the narrowest mask that distinguishes the children, or the widest mask. */
function maskOf(children: readonly DraftNode[]): number {
  let mask = 0;
  while (children.length > 1 && mask < WIDEST_MASK) {
    // Two words of bits. A mask below 32 needs only the first.
    let low = 0;
    let high = 0;
    let isApart = true;
    for (const { text } of children) {
      const slot = text.charCodeAt(0) & mask;
      const bit = 1 << (slot & 31);
      if (((slot < 32 ? low : high) & bit) !== 0) {
        isApart = false;
        break;
      }
      if (slot < 32) low |= bit;
      else high |= bit;
    }
    if (isApart) return mask;
    mask = mask * 2 + 1;
  }
  return mask;
}

function depthOf(place: RouteNode): number {
  let depth = place.rest === null ? 0 : depthOf(place.rest) + 1;
  for (const child of place.statics) depth = Math.max(depth, depthOf(child) + 1);
  return depth;
}
