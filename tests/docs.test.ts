// Tests the documentation: its code compiles, the output of its commands is right, and its links exist.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { after, describe, test } from "node:test";
import { freePort } from "../packages/core/test/support/free-port.ts";
import { headingId } from "../site/links.ts";
import { blocks, matches, type Page, readPage } from "./docs/page.ts";
import { run } from "./e2e/support/command.ts";
import { Project, repository } from "./e2e/support/project.ts";
import type { RunningApp } from "./e2e/support/running-app.ts";

/** Page that is not tested here. The tutorial installs packed packages, which the projects of these tests do not have. */
const TUTORIAL = "docs/tutorial.md";

/** Files of a page's project that the page need not show. */
const BASE = ["package.json", "tsconfig.json"] as const;

/** Ids to which links can lead, by the path of their page. */
const anchorsOf = new Map<string, Promise<Set<string>>>();

/** Project of a page, whose types are checked with those of other pages. */
interface PageProject {
  readonly path: string;
  readonly project: Project;
}

/** Projects with the compiler options of most pages. One program checks them all, so that it reads the shared types once. */
const unchecked: PageProject[] = [];
after(() => Promise.all(unchecked.map(({ project }) => project.remove())));

const pages: string[] = [];
for await (const path of glob(["*.md", "docs/**/*.md", "examples/*/README.md"], { cwd: repository }))
  pages.push(path);
pages.sort();

for (const path of pages) {
  const page = await readPage(join(repository, path));
  describe(path, () => {
    test("every link in the documentation leads to an existing file and heading", () => assertLinks(path));
    // A page about a diagnostic shows a project with a mistake. `cargo test -p kit-build --test pages` compares it with the output of
    // kit.
    if (path.startsWith("docs/errors/")) return;
    if (path === TUTORIAL) return;
    test("every code block in the documentation is checked", () => assert.deepEqual(page.unchecked, []));
    if (page.files.size > 0 || page.steps.length > 0)
      test("the commands of each page print what the page shows", () => assertWorks(page, path));
  });
}

test("the code on the pages compiles", async () => {
  const first = unchecked[0]?.project.root;
  assert.ok(first !== undefined);
  const options = JSON.parse(await readFile(join(first, "tsconfig.json"), "utf8")) as { include: string[] };
  const include = unchecked.flatMap(({ project }) => options.include.map((path) => join(project.root, path)));
  const all = await Project.of(new Map([["tsconfig.json", JSON.stringify({ ...options, include })]]));
  try {
    let errors = await typeErrors(all.root);
    for (const { path, project } of unchecked) {
      errors = errors.replaceAll(relative(all.root, project.root), path);
    }
    assert.equal(errors, "");
  } finally {
    await all.remove();
  }
});

test("the documentation has pages to check", () =>
  assert.ok(pages.includes("docs/guide/getting-started.md"), pages.join(", ")));

test("no page of the guide has more than 3,000 words, so that readers find their task", async () => {
  const guide = pages.filter((path) => path.startsWith("docs/guide/"));
  const texts = await Promise.all(guide.map((path) => readFile(join(repository, path), "utf8")));
  const words = texts.map((text) => text.split(/\s+/).length);
  const long = guide.filter((_, index) => words[index]! > 3_000);
  assert.deepEqual(long, []);
});

test("no page about an error says a sentence twice: no two sentences begin with the same eight words", async () => {
  const repeated: string[] = [];
  for (const path of pages.filter((page) => page.startsWith("docs/errors/"))) {
    // oxlint-disable-next-line no-await-in-loop -- one open file at a time
    const text = await readFile(join(repository, path), "utf8");
    const prose = text.replaceAll(/^```[^]*?^```$/gm, "").replaceAll(/^\|.*$/gm, "");
    const beginnings = prose
      .split(/\n\s*\n|\n- |(?<=[.:])\s/)
      .map((sentence) => sentence.trim().split(/\s+/).slice(0, 8))
      .filter((words) => words.length === 8)
      .map((words) => words.join(" "));
    for (const [index, beginning] of beginnings.entries())
      if (beginnings.indexOf(beginning) < index) repeated.push(`${path}: ${beginning}`);
  }
  assert.deepEqual(repeated, []);
});

test("servers on the pages have a listener for the errors of idle connections of their pools, which would end the process", async () => {
  const guide = pages.filter((path) => path.startsWith("docs/guide/"));
  const found = await Promise.all(guide.map((path) => readPage(join(repository, path))));
  const missing = found.flatMap(({ name: page, files }) =>
    [...files]
      // A program that ends soon needs no listener.
      .filter(([name]) => !name.startsWith("src/try"))
      .filter(([, text]) => lacksListener(text))
      .map(([name]) => `${page}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test("pages about errors and examples in doc comments have a listener for the errors of their pools", async () => {
  const paths = pages.filter((path) => path.startsWith("docs/errors/"));
  for await (const path of glob("packages/*/src/**/*.ts", { cwd: repository })) paths.push(path);
  const missing: string[] = [];
  for (const path of paths.toSorted()) {
    // oxlint-disable-next-line no-await-in-loop -- one open file at a time
    const text = await readFile(join(repository, path), "utf8");
    // Without the beginnings of lines, an example in a doc comment is a block, as on a page.
    for (const block of blocks(text.replaceAll(/^ *\* ?(?=```)/gm, "")))
      if (lacksListener(block.text)) missing.push(`${path}:${block.line}`);
  }
  assert.deepEqual(missing, []);
});

/** Returns true if the code creates a pool of `pg` and does not listen for its errors. */
function lacksListener(code: string): boolean {
  return /\bnew (?:pg\.)?Pool\(/.test(code) && !code.includes('.on("error"');
}

async function assertLinks(path: string): Promise<void> {
  const text = await readFile(join(repository, path), "utf8");
  const broken: string[] = [];
  for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)[^)]*\)/g)) {
    if (target.includes("://")) continue;
    const [file = "", heading] = target.split("#");
    const other = join(repository, dirname(path), file || basename(path));
    // oxlint-disable-next-line no-await-in-loop -- the pages of most links are in the cache
    const found =
      existsSync(other) && (!heading || !other.endsWith(".md") || (await anchors(other)).has(heading));
    if (!found) broken.push(target);
  }
  assert.deepEqual(broken, []);
}

/** Returns the ids of a page to which links can lead: those of its headings, and those in its HTML. */
function anchors(path: string): Promise<Set<string>> {
  const known = anchorsOf.get(path) ?? readAnchors(path);
  anchorsOf.set(path, known);
  return known;
}

async function readAnchors(path: string): Promise<Set<string>> {
  const text = (await readFile(path, "utf8")).replaceAll(/^```[^]*?^```$/gm, "");
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    headingId(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")),
  );
  return new Set([...headings, ...[...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!)]);
}

async function assertWorks(page: Page, path: string): Promise<void> {
  const project = path.startsWith("examples/notes/")
    ? await Project.copy()
    : await Project.of(await withBase(page));
  let app: RunningApp | undefined;
  let hasUsualOptions = false;
  const debugPort = page.steps.some((step) => step.command.includes("9800")) ? await freePort() : 9800;
  try {
    if (!page.steps.some((step) => step.command.startsWith("kit build"))) await project.kitOk("build");
    for (const step of page.steps) {
      const sendsRequest = step.command.includes("localhost:3000");
      if (sendsRequest) app ??= await project.start({ env: { DEBUG_PORT: String(debugPort) } });
      const command = sendsRequest
        ? step.command.replaceAll("localhost:3000", `127.0.0.1:${app?.port}`)
        : step.command.replaceAll(/\b9800\b/g, String(debugPort));
      const result = await run("bash", ["-o", "pipefail", "-c", command], {
        cwd: project.root,
        env: { PATH: `${join(repository, "node_modules/.bin")}:${process.env["PATH"]}` },
      });
      const printed = result.stdout + result.stderr;
      assert.ok(
        matches(printed, step.output),
        `${page.name}:${step.line}: ${step.command}\n--- expected ---\n${step.output}--- printed (exit code ${result.code}) ---\n${printed}`,
      );
    }
    hasUsualOptions = await isUsual(project);
    if (!hasUsualOptions) assert.equal(await typeErrors(project.root), "");
    // The program of a page must also start if the page shows no command that uses it.
    if (page.files.has("src/main.ts")) app ??= await project.start({ env: { DEBUG_PORT: "0" } });
    if (app !== undefined) assert.deepEqual(await app.stop(), { code: 0, signal: null });
  } finally {
    if (hasUsualOptions) {
      await app?.stop();
      unchecked.push({ path, project });
    } else await project.remove();
  }
}

/** Returns true if a project has the compiler options of the first page. */
async function isUsual(project: Project): Promise<boolean> {
  const base = await readPage(join(repository, "docs/guide/getting-started.md"));
  return (await readFile(join(project.root, "tsconfig.json"), "utf8")) === base.files.get("tsconfig.json");
}

/** Returns the errors of `tsc` in a project. */
async function typeErrors(root: string): Promise<string> {
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const { code, stdout } = await run(process.execPath, [tsc, "-p", "."], { cwd: root });
  return code === 0 ? "" : stdout || `exit code ${code}`;
}

async function withBase(page: Page): Promise<Map<string, string>> {
  const files = new Map(page.files);
  const base = await readPage(join(repository, "docs/guide/getting-started.md"));
  for (const path of BASE) files.set(path, files.get(path) ?? base.files.get(path) ?? "");
  return files;
}
