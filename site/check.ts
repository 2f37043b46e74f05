// Checks all links, the search and the notices of the built site: `node site/check.ts DIRECTORY BASE [PART]`. PART is a directory of the site that was not built, such
// as `crates`, and can be repeated.

import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

import { brokenLinks, leadsTo } from "./links.ts";
import { groups } from "./navigation.ts";
import { searchOf, unfound } from "./search.ts";
import { NOTICES } from "./vitepress/notices.ts";

const [directory, base = "/", ...missing] = process.argv.slice(2);
if (directory === undefined) throw new Error("Name the directory: node site/check.ts DIRECTORY BASE");

const files = new Map<string, string | null>();
for await (const path of glob("**/*.*", { cwd: directory })) {
  // The links in the pages of TypeDoc and rustdoc are not checked.
  const isPage = path.endsWith(".html") && !/^(packages|crates)\//.test(path);
  files.set(path, isPage ? await readFile(join(directory, path), "utf8") : null);
}
const broken = brokenLinks(files, base).filter((link) => !missing.some((part) => leadsTo(part, link, base)));
for (const { page, target } of broken) console.error(`${page}: ${target} leads nowhere`);
const repository = join(import.meta.dirname, "..");
const titles = new Map<string, string>();
for (const page of groups.flatMap(({ pages }) => pages)) {
  const text = await readFile(join(repository, "docs", `${page.replace(/index$/, "README")}.md`), "utf8");
  titles.set(page, /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? page);
}
const search = await searchOf(directory, join(repository, "target/site/node_modules"));
const hidden = unfound(titles, search);
for (const { page, title, found } of hidden)
  console.error(`the search finds ${found.join(", ")} for \`${title}\` and not ${page}.html among the first`);
// Licences require that their texts are part of the site.
const wanted = new Map([
  [NOTICES, ["vue ", "vitepress ", "typedoc "]],
  [
    "playground/licenses.txt",
    ["preact", "codemirror", "browser_wasi_shim", "kit and the crates below", "wasi-libc"],
  ],
  // rustdoc writes this file about its fonts and scripts.
  ["crates/static.files", ["COPYRIGHT", "LICENSE"]],
]);
let unnamed = 0;
for (const [path, names] of wanted) {
  if (missing.some((part) => path.startsWith(`${part}/`))) continue;
  const text = path.endsWith(".txt")
    ? await readFile(join(directory, path), "utf8").catch(() => "")
    : [...files.keys()].filter((file) => file.startsWith(path)).join("\n");
  for (const name of names.filter((one) => !text.includes(one))) {
    unnamed += 1;
    console.error(`${path} does not name ${name.trim()}, or does not exist`);
  }
}
const pages = [...files.values()].filter((html) => html !== null).length;
console.log(
  `${pages} pages, ${broken.length} broken links, ${titles.size - hidden.length} of ${titles.size} found by their title`,
);
process.exitCode = broken.length + hidden.length > 0 || unnamed > 0 || pages === 0 ? 1 : 0;
