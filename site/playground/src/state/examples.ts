import type { Files } from "../compiler/messages.ts";
import { ordered } from "./project.ts";

/** A program of the menu. */
export interface Example {
  readonly name: string;
  readonly title: string;
  readonly files: Files;
}

const titles: Readonly<Record<string, string>> = {
  books: "Entity, routes, errors",
  formats: "Formats and limits",
  unions: "Union with a discriminant",
  dates: "Dates, bigints, records",
  query: "Search with a query",
  recursive: "Recursive type",
  mapped: "Mapped types",
  errors: "Declared errors",
  tables: "Tables and references",
  mistake: "Mistakes in types",
};

const texts = import.meta.glob<string>("../../examples/*/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Programs of the menu. The first one is shown at the start. */
export const examples: readonly Example[] = Object.entries(titles).map(([name, title]) => {
  const prefix = `../../examples/${name}/`;
  const files = Object.entries(texts)
    .filter(([path]) => path.startsWith(prefix))
    .map(([path, text]) => [`src/${path.slice(prefix.length)}`, text] as const)
    // Types come before the routes that use them.
    .toSorted(([a], [b]) => (a > b ? -1 : 1));
  return { name, title, files: ordered(files) };
});
