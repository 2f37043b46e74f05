// Checks all links of the built site: `node site/check.ts DIRECTORY BASE`. With `--pages-only`, the site has no reference of packages
// and crates.

import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

import { brokenLinks } from "./links.ts";

const [directory, base = "/", option] = process.argv.slice(2);
if (directory === undefined) throw new Error("Name the directory: node site/check.ts DIRECTORY BASE");

const files = new Map<string, string | null>();
for await (const path of glob("**/*.*", { cwd: directory })) {
  // The links in the pages of TypeDoc and rustdoc are not checked.
  const isPage = path.endsWith(".html") && !/^(packages|crates)\//.test(path);
  files.set(path, isPage ? await readFile(join(directory, path), "utf8") : null);
}
const broken = brokenLinks(files, base).filter(
  ({ target }) => option !== "--pages-only" || !/\/(packages|crates)\//.test(target),
);
for (const { page, target } of broken) console.error(`${page}: ${target} leads nowhere`);
const pages = [...files.values()].filter((html) => html !== null).length;
console.log(`${pages} pages, ${broken.length} broken links`);
process.exitCode = broken.length > 0 || pages === 0 ? 1 : 0;
