import {
  IS_WILDCARD,
  META,
  METHOD_BITS,
  NEXT,
  NONE,
  type Packed,
  BIT_COUNT,
  REST,
  ROOT,
  ROUTES,
  TABLE,
  TABLE_MASK,
  TEXT,
  TEXT_END,
} from "./packed.ts";

/** Bounds of the parameters of the last search: start and end of each, alternately, in the first `count` numbers. */
export interface Bounds {
  count: number;
  readonly places: Int32Array;
}

/**
 * Function that searches the tree for the path up to `end`, which excludes a trailing slash. If a route has the method
 * with the given bit, returns its index in {@link Packed.routes}. Otherwise returns -1 minus the bit mask of the
 * methods of all matching nodes.
 *
 * Tree and path are in the normal form of paths, so texts are compared directly.
 */
export type Search = (path: string, end: number, bit: number) => number;

/** Creates the search in a tree. Searches are synchronous, so all searches share one set of arrays. */
export function searcher(tree: Packed): { search: Search; bounds: Bounds } {
  const bounds: Bounds = { count: 0, places: new Int32Array(2 * tree.depth) };
  // Skipped alternatives of a search, as triples: the node, its position in the path, and the number of bounds at that
  // point.
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
    // If a node has both a matching child and a parameter or wildcard, the search follows the child and stores the
    // alternative. If the walk ends without a route, the search continues with the last stored alternative.
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
        // Neither a parameter nor a wildcard matches an empty segment.
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
          return read(node + ROUTES) + (BIT_COUNT[meta & (bit - 1)] as number);
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
