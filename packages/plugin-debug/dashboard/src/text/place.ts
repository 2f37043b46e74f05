/** The parts of the dashboard, in the order of the navigation. */
export const views = [
  "requests",
  "errors",
  "logs",
  "routes",
  "performance",
  "health",
  "types",
  "migrations",
] as const;

/** A part of the dashboard. */
export type View = (typeof views)[number];

/** What is shown, as the address has it: `#/requests/7f3a?status=5xx`. */
export interface Place {
  readonly view: View;
  /** What is chosen in the view; nothing where nothing is. */
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

/** Reads the part of an address after `#`. What is not known leads to the first view. */
export function readPlace(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?", 2);
  const [, name = "", ...rest] = path.split("/");
  const view = views.find((candidate) => candidate === name) ?? "requests";
  const id = rest.length === 0 ? null : decoded(rest.join("/"));
  return { view, id: id === "" ? null : id, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The address of a place; what is empty in the query is left out. */
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
