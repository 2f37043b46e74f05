import {
  IS_WILDCARD,
  META,
  METHOD_BITS,
  NEXT,
  NONE,
  type Packed,
  RANK,
  REST,
  ROOT,
  ROUTES,
  TABLE,
  TABLE_MASK,
  TEXT,
  TEXT_END,
} from "./packed.ts";

/** Where the last search left the parameters: first and behind the last, in turn, for `count` numbers. */
export interface Bounds {
  count: number;
  readonly places: Int32Array;
}

/**
 * Searches for a path from its beginning to `end`, which leaves a trailing slash out. Returns the place in {@link Packed.routes} of
 * the route for the method of that bit, or -1 less the methods of all places that fit.
 *
 * Tree and path are in the normal form of paths, so text is compared as it is.
 */
export type Search = (path: string, end: number, bit: number) => number;

/** The search in a tree. A search runs to its end before the next begins, so one set of arrays serves all. */
export function searcher(tree: Packed): { search: Search; bounds: Bounds } {
  const bounds: Bounds = { count: 0, places: new Int32Array(2 * tree.depth) };
  // Alternatives that a search has passed by: the node, where it was, and how many bounds there were.
  const pending = new Int32Array(3 * tree.depth);

  function search(path: string, end: number, bit: number): number {
    const { nodes, texts, tables } = tree;
    const { places } = bounds;
    const read = (index: number): number => nodes[index] as number;
    let count = 0;
    let held = 0;
    let allow = 0;
    let at = 0;
    let child = ROOT;
    let rest: number = NONE;
    // Where a node has both a child that fits and a parameter or wildcard, the child is taken and the other noted; the last one
    // noted is tried when the walk ends without a route.
    for (;;) {
      let node: number = NONE;
      while (child !== NONE) {
        let text = read(child + TEXT);
        const textEnd = read(child + TEXT_END);
        const stop = at + textEnd - text;
        if (stop <= end) {
          let here = at;
          while (text < textEnd && path.charCodeAt(here) === texts[text]) {
            here++;
            text++;
          }
          if (text === textEnd) {
            node = child;
            if (rest !== NONE) {
              pending[held] = rest;
              pending[held + 1] = at;
              pending[held + 2] = count;
              held += 3;
            }
            at = stop;
            break;
          }
        }
        child = read(child + NEXT);
      }
      while (node === NONE) {
        if (rest === NONE) {
          if (held === 0) return -1 - allow;
          held -= 3;
          rest = pending[held] as number;
          at = pending[held + 1] as number;
          count = pending[held + 2] as number;
        }
        let stop = end;
        if ((read(rest + META) & IS_WILDCARD) === 0) {
          stop = path.indexOf("/", at);
          if (stop === -1 || stop > end) stop = end;
        }
        // Nothing takes an empty segment.
        if (at < stop) {
          places[count] = at;
          places[count + 1] = stop;
          count += 2;
          at = stop;
          node = rest;
        } else {
          rest = NONE;
        }
      }
      if (at === end) {
        const meta = read(node + META);
        if ((meta & bit) !== 0) {
          bounds.count = count;
          return read(node + ROUTES) + (RANK[meta & (bit - 1)] as number);
        }
        allow |= meta & METHOD_BITS;
        child = NONE;
        rest = NONE;
      } else {
        rest = read(node + REST);
        const mask = read(node + TABLE_MASK);
        if (mask === -1) {
          child = NONE;
        } else {
          child = tables[read(node + TABLE) + (path.charCodeAt(at) & mask)] as number;
        }
      }
    }
  }

  return { search, bounds };
}
