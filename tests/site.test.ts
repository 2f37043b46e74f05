// Tests the sources of the documentation site. `cargo xtask site` builds it.

import assert from "node:assert/strict";
import { glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { brokenLinks, headingId, leadsTo, siteLinks } from "../site/links.ts";
import { unfound } from "../site/search.ts";
import { notices, packagesOf, readLinked } from "../site/vitepress/notices.ts";
import { run } from "./e2e/support/command.ts";
import { repository } from "./e2e/support/project.ts";

const kinds: Readonly<Record<string, boolean>> = {
  "docs/README.md": false,
  "docs/guide/routes.md": false,
  "docs/decisions/README.md": false,
  "examples/notes": true,
  LICENSE: false,
  "site/playground/index.html": false,
};

test("links to files outside of docs lead to the repository, and links to README.md to index.md", () => {
  const text = [
    "[a](routes.md#paths) [b](../README.md) [c](../decisions/README.md#x) [d](https://example.org)",
    "[e](../../examples/notes) [f](../../LICENSE) `[g](code.md)` [h](#here)",
    "```ts",
    "[i](code.md)",
    "```",
  ].join("\n");
  assert.equal(
    siteLinks("docs/guide/handlers.md", text, (path) => kinds[path]),
    [
      "[a](routes.md#paths) [b](../index.md) [c](../decisions/index.md#x) [d](https://example.org)",
      "[e](https://github.com/kit-framework/kit/tree/main/examples/notes) [f](https://github.com/kit-framework/kit/blob/main/LICENSE) `[g](code.md)` [h](#here)",
      "```ts",
      "[i](code.md)",
      "```",
    ].join("\n"),
  );
});

test("code that begins in one line and ends in the next hides no link", () => {
  const text = "Run `kit\nbuild` in [notes](../../examples/notes), or `kit\ndev`.\n\n`open [a](routes.md)";
  assert.equal(
    siteLinks("docs/guide/handlers.md", text, (path) => kinds[path]),
    "Run `kit\nbuild` in [notes](https://github.com/kit-framework/kit/tree/main/examples/notes), or `kit\ndev`.\n\n`open [a](routes.md)",
  );
});

test("links to the source of the playground lead to its page, which the browser loads", () => {
  assert.equal(
    siteLinks("docs/guide/playground.md", "[a](../../site/playground/index.html)", (path) => kinds[path]),
    '[a](../playground/index.html){target="_self"}',
  );
});

test("a link that leads to no file fails the site", () => {
  assert.throws(
    () => siteLinks("docs/guide/handlers.md", "[a](missing.md)", (path) => kinds[path]),
    /docs\/guide\/handlers\.md links to missing\.md, which does not exist/,
  );
});

test("relative and absolute links to a part that was not built are known", () => {
  const page = "guide/playground.html";
  for (const [target, expected] of [
    ["../playground/index.html", true],
    ["/kit/playground/", true],
    ["playground.html", false],
    ["/kit/guide/routes.html", false],
  ] as const)
    assert.equal(leadsTo("playground", { page, target }, "/kit/"), expected, target);
});

test("headings have the ids that GitHub gives them", () => {
  for (const [heading, id] of [
    ["Own classes, and `toJSON`", "own-classes-and-tojson"],
    ["kit build --check", "kit-build---check"],
    ["What is missing?", "what-is-missing"],
    ["snake_case names", "snake_case-names"],
  ] as const)
    assert.equal(headingId(heading), id);
});

test("links of built pages need a file and a heading", () => {
  const files = new Map([
    [
      "index.html",
      '<a href="/kit/guide/a.html#top">a</a> <a class="x" href="/kit/guide/b.html">b</a> <img src="/kit/logo.svg"> <a href="/other/">o</a>',
    ],
    ["guide/a.html", '<h1 id="top">A</h1> <a href="#top">t</a> <a href="#gone">g</a> <a href="../">up</a>'],
    ["logo.svg", null],
  ]);
  assert.deepEqual(
    brokenLinks(files, "/kit/").map(({ page, target }) => `${page} ${target}`),
    ["index.html /kit/guide/b.html", "index.html /other/", "guide/a.html #gone"],
  );
});

test("the packages of a bundle are those of its modules, and of the helpers that tools add", () => {
  const ids = [
    "/site/node_modules/vue/dist/vue.js",
    "/site/node_modules/@vueuse/core/index.mjs?used",
    "/site/node_modules/a/node_modules/vue/index.js",
    "\0plugin-vue:export-helper",
    "\0virtual",
    "/site/content/index.md",
  ];
  assert.deepEqual(packagesOf(ids, "/site/node_modules"), [
    "/site/node_modules/@vitejs/plugin-vue",
    "/site/node_modules/@vueuse/core",
    "/site/node_modules/vue",
    "/site/node_modules/a/node_modules/vue",
  ]);
});

test("notices name each package, and contain each licence once", () => {
  const mit = { license: "MIT", texts: ["shared"] };
  const text = notices([
    { name: "one", version: "1.0.0", ...mit },
    { name: "two", version: "2.0.0", ...mit },
  ]);
  assert.match(text, /\none 1\.0\.0 \(MIT\)\ntwo 2\.0\.0 \(MIT\)\n/);
  assert.match(text, /\none 1\.0\.0, two 2\.0\.0\n\nshared\n/);
  assert.equal(text.split("shared").length, 2);
});

test("a package of the site without a licence file fails the build of the site", async () => {
  const directory = await mkdtemp(join(tmpdir(), "kit-site-"));
  try {
    const manifest = (license: string): Promise<void> =>
      writeFile(
        join(directory, "package.json"),
        JSON.stringify({ name: "a", version: "1.0.0", license, author: { name: "Ada" } }),
      );
    await manifest("ISC");
    assert.throws(
      () => readLinked(directory, "of {holders}"),
      /a 1\.0\.0 is part of the site and has no licence file/,
    );
    await manifest("MIT");
    assert.deepEqual(readLinked(directory, "of {holders}").texts, ["of Ada"]);
    await writeFile(join(directory, "LICENSE.txt"), "text\n");
    assert.deepEqual(readLinked(directory, "of {holders}").texts, ["text"]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test("each page of docs is in one group of the sidebar, and all links of the pages exist", async () => {
  const directory = await mkdtemp(join(tmpdir(), "kit-site-"));
  try {
    const staged = await run(process.execPath, [join(repository, "site/stage.ts"), directory], {
      cwd: repository,
    });
    assert.equal(staged.code, 0, staged.stderr);
    const sidebar = JSON.parse(await readFile(join(directory, ".vitepress/sidebar.json"), "utf8")) as {
      items: { text: string; link: string }[];
    }[];
    const pages = sidebar.flatMap(({ items }) => items);
    assert.ok(pages.length > 70, `${pages.length} pages`);
    assert.ok(pages.some(({ text, link }) => text === "Static files" && link === "/guide/static-files"));
    assert.match(await readFile(join(directory, "public/llms.txt"), "utf8"), /\]\(guide\/routes\.html\)/);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test("no page links to localhost, which VitePress counts as a dead link", async () => {
  for await (const path of glob("docs/**/*.md", { cwd: repository })) {
    const text = await readFile(join(repository, path), "utf8");
    assert.doesNotMatch(text, /<https?:\/\/localhost|\]\(https?:\/\/localhost/, path);
  }
});

test("links of the navigation do not begin with the path of the site, which VitePress adds", async () => {
  const config = await readFile(join(repository, "site/vitepress/config.ts"), "utf8");
  assert.match(config, /link: "\/packages\/index\.html"/);
  // VitePress does not add the path to files that are no pages.
  assert.doesNotMatch(config, /link: `?\$?\{?base(?!\}\$\{NOTICES\})/);
});

test("the reference of packages has each module that users can import", async () => {
  const options = JSON.parse(await readFile(join(repository, "site/typedoc.json"), "utf8")) as {
    entryPoints: string[];
  };
  const modules: string[] = [];
  for await (const path of glob("packages/*/package.json", { cwd: repository })) {
    const manifest = JSON.parse(await readFile(join(repository, path), "utf8")) as {
      private?: boolean;
      exports?: Record<string, string>;
    };
    if (manifest.private === true) continue;
    for (const target of Object.values(manifest.exports ?? {}))
      if (target.startsWith("./src/")) modules.push(join("..", dirname(path), target));
  }
  assert.deepEqual(options.entryPoints.toSorted(), modules.toSorted());
});

test("a page that is not among the first results for its title fails the site", () => {
  const titles = new Map([
    ["guide/routes", "Routes"],
    ["guide/tls", "TLS"],
    ["decisions/index", "Decisions"],
  ]);
  const found: Readonly<Record<string, readonly string[]>> = {
    Routes: ["/0.1/a.html", "/0.1/b.html#routes", "/0.1/guide/routes.html#routes"],
    TLS: ["/a.html", "/b.html", "/guide/tls-old.html", "/guide/tls.html"],
    Decisions: ["/decisions/#decisions"],
  };
  assert.deepEqual(
    unfound(titles, (query) => found[query]!),
    [{ page: "guide/tls", title: "TLS", found: ["/a.html", "/b.html", "/guide/tls-old.html"] }],
  );
});
