/** Parts of a call that determine its URL. */
export interface Address {
  /** Path parameters by name. A wildcard's value may contain slashes. */
  params?: Readonly<Record<string, unknown>>;
  /** Query values by key. An array becomes a repeated key, and `undefined` is left out. */
  query?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the path of a call with its query. Throws a `TypeError` if a parameter would lead to another route,
 * such as the value `..`.
 */
export function addressOf(path: string, { params = {}, query = {} }: Address): string {
  const segments = path.split("/").map((segment) => {
    const kind = segment[0];
    if (kind !== ":" && kind !== "*") return segment;
    const name = segment.slice(1);
    const value = params[name];
    const texts = kind === "*" ? textOf(value).split("/") : [textOf(value)];
    for (const text of texts) {
      // URL parsers remove dot segments (RFC 3986, section 5.2.4), even percent-encoded ones.
      if (value === undefined || value === null || text === "" || text === "." || text === "..") {
        throw new TypeError(
          `the parameter ${name} of ${path} cannot be ${JSON.stringify(value) ?? "left out"}`,
        );
      }
    }
    return texts.map(encodeURIComponent).join("/");
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (item !== undefined) search.append(name, textOf(item));
    }
  }
  return segments.join("/") + (search.size === 0 ? "" : `?${search}`);
}

/** Returns the text of a scalar in a URL, a header or a cookie. */
export function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
