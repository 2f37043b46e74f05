/** Every method that a route can have, in the order `Allow` lists them. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

const GET = 0;
const HEAD = 1;

/** The index of every other method. No node has a route there, so that it is looked up like the others. */
export const UNKNOWN_METHOD: number = METHODS.length;

/** The index in {@link METHODS}: methods are case-sensitive. A switch is several times faster than a `Map`. */
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

/** HEAD is answered by GET where it has no route of its own. */
export function withHead(routes: number[]): void {
  if (routes[HEAD] === -1) routes[HEAD] = routes[GET] ?? -1;
}

/** The methods of a set of bits, in order. */
export function methodsOf(mask: number): readonly string[] {
  return Object.freeze(METHODS.filter((_, index) => (mask & (1 << index)) !== 0));
}
