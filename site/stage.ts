// Writes the sources of the site into a directory: `node site/stage.ts DIRECTORY`. The pages are those of `docs/`, with links that work
// on the site.

import { statSync } from "node:fs";
import { copyFile, cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { pagePath, siteLinks } from "./links.ts";
import { groups } from "./navigation.ts";

const repository = join(import.meta.dirname, "..");
const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("Name the directory: node site/stage.ts DIRECTORY");

await rm(directory, { recursive: true, force: true });
await mkdir(join(directory, "public"), { recursive: true });

const titles: Record<string, string> = {};
for await (const path of glob("**/*.md", { cwd: join(repository, "docs") })) {
  const text = await readFile(join(repository, "docs", path), "utf8");
  const page = pagePath(path);
  titles[page.replace(/\.md$/, "")] = /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? page;
  const target = join(directory, page);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, withoutTemplates(siteLinks(`docs/${path}`, text, isDirectory)));
}
for await (const path of glob("**/*.{svg,webp,png}", { cwd: join(repository, "docs") })) {
  const target = join(directory, path);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(join(repository, "docs", path), target);
}
await writeFile(join(directory, "public/llms.txt"), await llms());
await cp(join(repository, "site/vitepress"), join(directory, ".vitepress"), { recursive: true });
await copyFile(join(repository, "site/links.ts"), join(directory, ".vitepress/links.ts"));
await copyFile(join(repository, "xtask/src/notices/MIT.txt"), join(directory, ".vitepress/MIT.txt"));
// Hides the tsconfig.json of the repository, whose target is newer than the esbuild of VitePress.
await writeFile(join(directory, "tsconfig.json"), '{ "compilerOptions": { "target": "es2022" } }\n');
await writeFile(join(directory, ".vitepress/sidebar.json"), JSON.stringify(sidebar(), null, 2));

function isDirectory(path: string): boolean | undefined {
  return statSync(join(repository, path), { throwIfNoEntry: false })?.isDirectory();
}

/** Marks a page if `{{` occurs, which VitePress would evaluate. */
function withoutTemplates(text: string): string {
  return text.includes("{{") ? `::: v-pre\n\n${text}\n\n:::\n` : text;
}

/** Returns `llms.txt` with links to the pages of the site. */
async function llms(): Promise<string> {
  const text = await readFile(join(repository, "llms.txt"), "utf8");
  return text.replaceAll(/\]\(docs\/([^)]+)\.md([^)]*)\)/g, "]($1.html$2)");
}

/** Returns the groups of the sidebar. Each page is in one group; errors and decisions are listed on pages of their own. */
function sidebar(): object[] {
  const listed = groups.flatMap(({ pages }) => pages);
  const needed = Object.keys(titles).filter(
    (page) => page !== "index" && !page.startsWith("errors/") && !/^decisions\/\d/.test(page),
  );
  const problems = [
    ...needed.filter((page) => !listed.includes(page)).map((page) => `${page} is in no group`),
    ...listed.filter((page) => titles[page] === undefined).map((page) => `${page} does not exist`),
    ...listed
      .filter((page, index) => listed.indexOf(page) !== index)
      .map((page) => `${page} is in two groups`),
  ];
  if (problems.length > 0) throw new Error(`site/navigation.ts: ${problems.join(", ")}`);
  return groups.map(({ title, pages }) => ({
    text: title,
    collapsed: title !== "Start",
    items: pages.map((page) => ({ text: titles[page], link: `/${page}` })),
  }));
}
