/** Parts of a request target, which is a path and a query. */

/**
 * Returns the part of a path that the wildcard of a route matches: `a/b` for the pattern `/files/*path` and
 * the path `/files/a/b`. The part begins after as many slashes as precede the wildcard in the pattern.
 */
export function wildcardOf(pattern: string, path: string): string | undefined {
  if (!pattern.includes("/*")) return undefined;
  let start = 0;
  for (let at = pattern.indexOf("/"); at !== -1; at = pattern.indexOf("/", at + 1)) {
    start = path.indexOf("/", start) + 1;
  }
  return path.slice(start);
}

/** Returns the query of a request target, without its `?`. */
export function queryOf(target: string): string {
  const start = target.indexOf("?");
  return start === -1 ? "" : target.slice(start + 1);
}
