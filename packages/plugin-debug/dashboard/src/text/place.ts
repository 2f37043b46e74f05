/** Names of the dashboard's views, in the order of the navigation. */
export const views = [
  "requests",
  "streams",
  "errors",
  "logs",
  "routes",
  "performance",
  "health",
  "types",
  "migrations",
  "jobs",
] as const;

/** Name of a view of the dashboard. */
export type View = (typeof views)[number];

/** Returns the key that opens a view, by the index of the view: `1` to `9`, then `0`. */
export function keyOf(index: number): string {
  return String((index + 1) % 10);
}

/** Location in the dashboard, as in its address: `#/requests/7f3a?status=5xx`. */
export interface Place {
  readonly view: View;
  /** Id of the selected item, or null. */
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

/** Parses the part of an address after `#`. An unknown view becomes the first view. */
export function readPlace(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?", 2);
  const [, name = "", ...rest] = path.split("/");
  const view = views.find((candidate) => candidate === name) ?? "requests";
  const id = rest.length === 0 ? null : decoded(rest.join("/"));
  return { view, id: id === "" ? null : id, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** Returns the address of a location: `#/requests/7f3a?status=5xx`. Leaves out empty values of the query. */
export function hrefOf({ view, id, query }: Partial<Place> & { readonly view: View }): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== "");
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `#/${view}${id === null || id === undefined ? "" : `/${encodeURIComponent(id)}`}${search}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
