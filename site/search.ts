// Checks that the search of the built site finds each page by its title.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { boostDocument } from "./vitepress/boost.ts";

/** The page of a title must be among this many results, which a phone shows without scrolling. */
const FIRST = 3;

/** Page that the search does not find by its title. */
export interface Unfound {
  readonly page: string;
  readonly title: string;
  /** Addresses that the search shows first. */
  readonly found: readonly string[];
}

/** Returns the pages of `titles` (title by path without `.html`) that are not among the first results for their title. */
export function unfound(
  titles: ReadonlyMap<string, string>,
  search: (query: string) => readonly string[],
): Unfound[] {
  const missing: Unfound[] = [];
  for (const [page, title] of titles) {
    const address = page.endsWith("/index") ? `/${page.slice(0, -"index".length)}` : `/${page}.html`;
    const found = search(title).slice(0, FIRST);
    if (!found.some((id) => id.split("#")[0]!.endsWith(address))) missing.push({ page, title, found });
  }
  return missing;
}

/** Part of MiniSearch, which VitePress installs. */
interface MiniSearch {
  loadJSON(json: string, options: object): { search(query: string): readonly { readonly id: string }[] };
}

/** Returns the search of a built site, with the options that its pages use. `modules` is the directory of the packages of VitePress. */
export async function searchOf(site: string, modules: string): Promise<(query: string) => readonly string[]> {
  const names = await readdir(join(site, "assets/chunks"));
  const name = names.find((one) => one.startsWith("@localSearchIndexroot"));
  if (name === undefined) throw new Error(`${site} has no index of the search`);
  // Node reads a file with this ending as CommonJS, so the code is imported from its text.
  const code = await readFile(join(site, "assets/chunks", name), "utf8");
  const { default: json } = (await import(
    `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`
  )) as { default: string };
  const library = pathToFileURL(join(modules, "minisearch/dist/es/index.js")).href;
  const { default: miniSearch } = (await import(library)) as { default: MiniSearch };
  // The options of `VPLocalSearchBox.vue`, and those of `config.ts`.
  const index = miniSearch.loadJSON(json, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, boostDocument },
  });
  return (query) => index.search(query).map(({ id }) => id);
}
