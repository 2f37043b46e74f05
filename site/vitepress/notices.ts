// Licences of the packages whose code is in the JavaScript of the site.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Name of the file in the site. */
export const NOTICES = "third-party-notices.txt";

/** A package whose code is part of the site. */
export interface Linked {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Texts of its licence files. */
  readonly texts: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: string | { readonly name: string };
}

/** Packages that write helpers into a bundle, by the beginnings of the ids of these modules. */
const helpers: readonly (readonly [start: string, name: string])[] = [
  ["\0plugin-vue:", "@vitejs/plugin-vue"],
  ["\0vite/", "vite"],
  ["\0commonjsHelpers", "vite"],
];

/**
 * Returns the directories of the packages that contain the modules of a bundle, sorted by the names of the packages.
 *
 * @param ids - Ids of Rollup: paths of files, perhaps with a query, and names of virtual modules.
 * @param root - Directory `node_modules` with the packages that write helpers.
 */
export function packagesOf(ids: Iterable<string>, root: string): string[] {
  const found = new Map<string, string>();
  for (const id of ids) {
    const helper = helpers.find(([start]) => id.startsWith(start))?.[1];
    if (helper !== undefined) found.set(join(root, helper), helper);
    const [, directory, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/?]+))/.exec(id) ?? [];
    if (directory !== undefined) found.set(directory, name!);
  }
  return [...found].toSorted(([, one], [, other]) => (one < other ? -1 : 1)).map(([directory]) => directory);
}

/**
 * Reads the licence of an installed package.
 *
 * @param directory - Directory of the package.
 * @param mit - Text of the MIT licence with `{holders}`, for packages with this licence and without a licence file.
 * @throws {Error} If the package has no licence file, and another licence.
 */
export function readLinked(directory: string, mit: string): Linked {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
  const { name, version, license, author } = manifest;
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(directory, file), "utf8").trim());
  if (files.length === 0) {
    if (license !== "MIT") {
      throw new Error(
        `${name} ${version} is part of the site and has no licence file in ${directory}; add the text of its licence to site/vitepress/notices.ts`,
      );
    }
    const holders = typeof author === "object" ? author.name : author;
    texts.push(mit.replace("{holders}", holders ?? `the authors of ${name}`).trim());
  }
  return { name, version, license, texts };
}

/** Returns the text of the notices. Each licence occurs once, with the packages that it applies to. */
export function notices(packages: readonly Linked[]): string {
  const list = packages.map(({ name, version, license }) => `${name} ${version} (${license})`);
  const named = new Map<string, string[]>();
  for (const { name, version, texts } of packages) {
    for (const text of texts) named.set(text, [...(named.get(text) ?? []), `${name} ${version}`]);
  }
  const line = "-".repeat(80);
  const licences = [...named].map(([text, names]) => `${line}\n${names.join(", ")}\n\n${text}\n`);
  return `The JavaScript of this site contains code of the packages below. Their licences follow.\n\n${list.join("\n")}\n\n${licences.join("\n")}`;
}
