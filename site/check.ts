// Checks all links and the notices of the built site: `node site/check.ts DIRECTORY BASE [PART]`. PART is a directory of the site that was not built, such
// as `crates`, and can be repeated.

import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

import { brokenLinks, leadsTo } from "./links.ts";
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
console.log(`${pages} pages, ${broken.length} broken links`);
process.exitCode = broken.length > 0 || unnamed > 0 || pages === 0 ? 1 : 0;
