/** A route key, taken apart. */
export interface RouteKeyParts {
  readonly method: string;
  readonly path: string;
}

const keyPattern = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/\S*)$/;

/** Method and path of a route key such as `GET /notes/:id`; nothing where it is none. */
export function parseRouteKey(key: string): RouteKeyParts | undefined {
  const [, method, path] = keyPattern.exec(key) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}

/**
 * The final path of a route: the prefix before the key's path, but a path that begins with the prefix, segment by segment,
 * stays. Without trailing slash. The compiler joins in the same way.
 */
export function joinPath(prefix: string, path: string): string {
  const before = segmentsOf(prefix);
  const after = segmentsOf(path);
  const isIncluded = before.every((segment, index) => segment === after[index]);
  return `/${(isIncluded ? after : [...before, ...after]).join("/")}`;
}

/** Names of a path's parameters in order, a wildcard's last. */
export function parameterNames(path: string): string[] {
  return segmentsOf(path)
    .filter((segment) => segment.startsWith(":") || segment.startsWith("*"))
    .map((segment) => segment.slice(1));
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}
