import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type DefaultTheme } from "vitepress";

import { boostDocument } from "./boost.ts";
import { headingId, REPOSITORY as repository } from "./links.ts";
import { notices, NOTICES, packagesOf, readLinked } from "./notices.ts";

const sidebar = JSON.parse(
  readFileSync(new URL("./sidebar.json", import.meta.url), "utf8"),
) as DefaultTheme.SidebarItem[];
/** Directory of the packages, from which the command runs. */
const modules = join(process.cwd(), "node_modules");
const mit = readFileSync(new URL("./MIT.txt", import.meta.url), "utf8");
/** Version whose documentation this is, and the path of the site: `/` or `/0.1/`. */
const version = process.env["KIT_SITE_VERSION"] ?? "";
const base = process.env["KIT_SITE_BASE"] ?? "/";
const hasPlayground = process.env["KIT_SITE_PLAYGROUND"] === "1";

export default defineConfig({
  title: "kit",
  titleTemplate: ":title · kit",
  description: "Typed HTTP APIs from TypeScript types.",
  lang: "en",
  base,
  // No icon, so that browsers do not ask for one.
  head: [["link", { rel: "icon", href: "data:," }]],
  cleanUrls: false,
  outDir: process.env["KIT_SITE_OUT"]!,
  cacheDir: "../vitepress-cache",
  // The links to these directories lead to pages that other tools write.
  ignoreDeadLinks: [/^\/(packages|crates|playground)\//],
  vite: {
    plugins: [
      {
        name: "kit-notices",
        // The other build is for rendering on a server, and is not published.
        apply: (_, { command, isSsrBuild }) => command === "build" && isSsrBuild !== true,
        generateBundle(_, bundle): void {
          const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
          const ids = chunks.flatMap(({ moduleIds }) => moduleIds);
          // The pages of the reference of packages contain the code of these.
          const reference = ["typedoc", "lunr"].map((name) => join(modules, name));
          const linked = [...packagesOf(ids, modules), ...reference];
          const source = notices(linked.map((directory) => readLinked(directory, mit)));
          this.emitFile({ type: "asset", fileName: NOTICES, source });
        },
      },
    ],
  },
  markdown: {
    anchor: { slugify: headingId },
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    languageAlias: { console: "shellsession" },
  },
  themeConfig: {
    sidebar,
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Guide", link: "/" },
      ...(hasPlayground ? [{ text: "Playground", link: "/playground/index.html", target: "_self" }] : []),
      {
        text: "API",
        items: [
          { text: "Packages", link: "/packages/index.html", target: "_self" },
          { text: "Crates", link: "/crates/kit_runtime/index.html", target: "_self" },
          { text: "The kit command", link: "/cli" },
          { text: "Diagnostics", link: "/errors" },
        ],
      },
      {
        text: version,
        items: [
          { text: "Changelog", link: `${repository}/blob/main/CHANGELOG.md` },
          { text: "Other versions", link: `${repository}/releases` },
          // VitePress does not add the path of the site to files that are no pages.
          { text: "Licences of others", link: `${base}${NOTICES}`, target: "_self" },
        ],
      },
    ],
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        detailedView: true,
        miniSearch: { searchOptions: { boostDocument } },
      },
    },
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/edit/main/docs/:path`, text: "Edit this page" },
    externalLinkIcon: true,
  },
});
