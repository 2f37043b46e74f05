/** Method and path of a route key. */
export interface RouteKeyParts {
  readonly method: string;
  readonly path: string;
}

const keyPattern = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/\S*)$/;

/** Parses a route key such as `GET /notes/:id`. Returns `undefined` if the key is invalid. */
export function parseRouteKey(key: string): RouteKeyParts | undefined {
  const [, method, path] = keyPattern.exec(key) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}

/**
 * Returns the final path of a route: the prefix followed by the key's path. A path that starts with the segments of the
 * prefix is not changed. Trailing slashes are removed. The compiler joins paths in the same way.
 */
export function joinPath(prefix: string, path: string): string {
  const before = segmentsOf(prefix);
  const after = segmentsOf(path);
  const isIncluded = before.every((segment, index) => segment === after[index]);
  return `/${(isIncluded ? after : [...before, ...after]).join("/")}`;
}

/** Returns the names of a path's parameters in order, with the wildcard last. */
export function parameterNames(path: string): string[] {
  return segmentsOf(path)
    .filter((segment) => segment.startsWith(":") || segment.startsWith("*"))
    .map((segment) => segment.slice(1));
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}
