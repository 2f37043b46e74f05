/** Every method that a route can have, in the order in which `Allow` lists them. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

const GET = 0;
const HEAD = 1;

/** Index that all other methods share. No node has a route at this index, so unknown methods need no special case. */
export const UNKNOWN_METHOD: number = METHODS.length;

/**
 * Returns the index in {@link METHODS}. Methods are case-sensitive. A `switch` is several times faster than a `Map`.
 */
export function methodIndex(method: string): number {
  switch (method) {
    case "GET":
      return GET;
    case "HEAD":
      return HEAD;
    case "POST":
      return 2;
    case "PUT":
      return 3;
    case "PATCH":
      return 4;
    case "DELETE":
      return 5;
    case "OPTIONS":
      return 6;
    default:
      return UNKNOWN_METHOD;
  }
}

/** Sets the GET route as the route for HEAD if HEAD has no route of its own. */
export function withHead(routes: number[]): void {
  if (routes[HEAD] === -1) routes[HEAD] = routes[GET] ?? -1;
}

/** Returns the methods of a bit mask, in order. */
export function methodsOf(mask: number): readonly string[] {
  return Object.freeze(METHODS.filter((_, index) => (mask & (1 << index)) !== 0));
}
