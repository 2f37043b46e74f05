/** Method and path of a route key. */
export interface RouteKeyParts {
  readonly method: string;
  readonly path: string;
}

/** A segment of a route's path. */
export interface RouteSegment {
  readonly kind: "static" | "parameter" | "wildcard";
  /** Text of a static segment; name of a parameter or wildcard. */
  readonly text: string;
}

const keyPattern = /^(WS|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/\S*)$/;

/** Parses a route key such as `GET /notes/:id`. Returns `undefined` if the key is invalid. */
export function parseRouteKey(key: string): RouteKeyParts | undefined {
  const [, method, path] = keyPattern.exec(key) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}

/**
 * Parses the path of a route into its segments. The path `/` has none.
 *
 * @example
 *   parseRoutePath("/notes/:id"); // [{ kind: "static", text: "notes" }, { kind: "parameter", text: "id" }]
 */
export function parseRoutePath(path: string): RouteSegment[] {
  return segmentsOf(path).map((segment) => {
    if (segment.startsWith(":")) return { kind: "parameter", text: segment.slice(1) };
    if (segment.startsWith("*")) return { kind: "wildcard", text: segment.slice(1) };
    return { kind: "static", text: segment };
  });
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

/**
 * Returns the names of a path's parameters in order, with the wildcard last.
 *
 * @example
 * ```ts
 * parameterNames("/users/:id/files/*path"); // ["id", "path"]
 * ```
 */
export function parameterNames(path: string): string[] {
  return parseRoutePath(path)
    .filter(({ kind }) => kind !== "static")
    .map(({ text }) => text);
}

/**
 * Returns the path of a request to a route, with the given values in place of its parameters. Values are
 * percent-encoded; the value of a wildcard keeps its slashes.
 *
 * @example
 *   fillRoutePath("/files/*path", () => "a b/c"); // "/files/a%20b/c"
 */
export function fillRoutePath(path: string, valueOf: (name: string) => string): string {
  const filled = parseRoutePath(path).map(({ kind, text }) => {
    if (kind === "static") return text;
    const value = valueOf(text);
    const parts = kind === "wildcard" ? value.split("/") : [value];
    return parts.map(encodeURIComponent).join("/");
  });
  return `/${filled.join("/")}`;
}

/**
 * Returns the path of a request that matched a route, with `replacement` in place of the parameters whose names are
 * hidden. A hidden wildcard hides everything that it matches.
 *
 * @example
 * ```ts
 * hideParameters("/users/7/keys/abc", "/users/:id/keys/:key", (name) => name === "key", "[hidden]");
 * // "/users/7/keys/[hidden]"
 * ```
 */
export function hideParameters(
  path: string,
  route: string,
  isHidden: (name: string) => boolean,
  replacement: string,
): string {
  const pattern = parseRoutePath(route).map(({ kind, text }) => ({
    isWildcard: kind === "wildcard",
    isHidden: kind !== "static" && isHidden(text),
  }));
  if (!pattern.some((segment) => segment.isHidden)) return path;
  // The first item is the text before the first slash, which is empty.
  const segments = path.split("/").slice(1);
  const shown = pattern.map((segment, index) => {
    if (segment.isHidden) return replacement;
    return segment.isWildcard ? segments.slice(index).join("/") : (segments[index] ?? "");
  });
  return `/${shown.join("/")}`;
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}
