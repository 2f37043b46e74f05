// Tests the page of the playground in Chromium. Skipped without Chromium or the compiler as WebAssembly (`program.test.ts`).

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";

import type { Browser, BrowserContext, Locator, Page } from "playwright-core";

import { assertAccessible, launch, usefulAt, widthOf, withPage } from "../dashboard/support/browser.ts";
import { withoutChromium } from "../e2e/support/chromium.ts";
import { run } from "../e2e/support/command.ts";
import { type Project, repository } from "../e2e/support/project.ts";
import { contents, examples, MISTAKE, program, projectOf, withoutProgram } from "./examples.ts";

const skip = withoutChromium || withoutProgram;

/** Path of a site that is not at the root of its host. */
const BASE = "/kit/0.1/playground/";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};

/** WebAssembly program whose `_start` never ends. */
const ENDLESS = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04, 0x01, 0x60, 0x00, 0x00, 0x03, 0x02, 0x01, 0x00,
  0x05, 0x03, 0x01, 0x00, 0x01, 0x07, 0x13, 0x02, 0x06, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 0x02, 0x00, 0x06,
  0x5f, 0x73, 0x74, 0x61, 0x72, 0x74, 0x00, 0x00, 0x0a, 0x09, 0x01, 0x07, 0x00, 0x03, 0x40, 0x0c, 0x00, 0x0b,
  0x0b,
]);

/** Pattern of the URL of the compiler. */
const COMPILER = "**/compiler-*.bin";

let directory: string;
let server: Server;
let url: string;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  directory = await mkdtemp(join(tmpdir(), "kit-playground-"));
  const page = await run(
    process.execPath,
    [join(repository, "site/playground/build.ts"), program!, directory],
    { cwd: repository, timeout: 180_000 },
  );
  assert.equal(page.code, 0, page.stderr);
  console.log(page.stdout.trim());
  server = createServer(async ({ url: target }, response) => {
    const path = (target ?? "").split("?")[0]!;
    const name = path.slice(BASE.length) || "index.html";
    try {
      if (!path.startsWith(BASE)) throw new Error("another path");
      const bytes = await readFile(join(directory, name));
      response.setHeader("content-type", TYPES[extname(name)] ?? "application/octet-stream");
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE}`;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

/** Waits until the page shows the result of the newest types. */
async function built(page: Page): Promise<void> {
  await page.locator('.status[data-building="false"]').waitFor();
}

/** Allows a page to read the clipboard, which the copy buttons fill. */
function allowClipboard(context: BrowserContext): Promise<void> {
  return context.grantPermissions(["clipboard-read", "clipboard-write"]);
}

/** Presses a button that copies a text, and returns the text. */
async function copied(page: Page, button: Locator): Promise<string> {
  await page.evaluate(`navigator.clipboard.writeText("")`);
  await button.click();
  const end = Date.now() + 20_000;
  for (;;) {
    const text: string = await page.evaluate(`navigator.clipboard.readText()`);
    if (text !== "") return text;
    assert.ok(Date.now() < end, "the button copied nothing");
  }
}

/** Returns the text of each file of an output by its path. */
async function filesOf(page: Page, output: string): Promise<Record<string, string>> {
  await page.getByRole("tab", { name: output, exact: true }).click();
  const menu = page.getByLabel("Generated file", { exact: true });
  const texts: Record<string, string> = {};
  for (const path of await menu.locator("option").allTextContents()) {
    await menu.selectOption(path);
    texts[path] = await copied(page, page.locator(".toolbar .button"));
  }
  return texts;
}

/** Replaces the time of a build, which differs between two builds. */
function withoutTime(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [
      path,
      text.replaceAll(/("?generatedAt"?): "[^"]+"/g, '$1: "…"'),
    ]),
  );
}

/** Replaces the text of the editor. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator("#source .cm-content").fill(text);
}

const source = (page: Page): Promise<string> => page.locator("#source .cm-content").innerText();

/** Creates the project of an example with a Rust server. As in the playground, `@kit/api-docs` is not installed. */
async function rustProjectOf(name: string): Promise<Project> {
  const config = `import { defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";

export default defineConfig({ typeFiles: ["src/*.ts"], routeFiles: ["src/*.ts"], plugins: [rustServer({ db: "sqlx" })] });
`;
  const project = await projectOf(name, [["kit.config.ts", config]]);
  const modules = join(project.root, "node_modules");
  await rm(modules);
  await mkdir(join(modules, "@kit"), { recursive: true });
  for (const installed of ["cli", "plugin-rust-server", "types"])
    await symlink(join(repository, "packages", installed), join(modules, "@kit", installed));
  return project;
}

describe("the playground", { skip }, () => {
  test("shows the files of kit build for each example, byte for byte", async (t) => {
    await withPage(browser, url, {}, async ({ page, context }) => {
      await allowClipboard(context);
      await built(page);
      t.diagnostic(`first result after ${Math.round(await usefulAt(page))} ms`);
      for (const name of examples.keys()) {
        if (name === MISTAKE) continue;
        await t.test(name, async () => {
          const project = await projectOf(name);
          const withRust = await rustProjectOf(name);
          try {
            await project.kitOk("build");
            await withRust.kitOk("build", "--no-compile");
            await page.getByLabel("Example").selectOption(name);
            await built(page);
            const expected = await contents(join(project.root, ".kit"));
            assert.ok(Object.keys(expected).length > 5, "kit build wrote nothing");
            assert.deepEqual(withoutTime(await filesOf(page, "All files")), withoutTime(expected));

            const rust = await filesOf(page, "Rust");
            assert.ok(Object.keys(rust).length > 5, "no Rust server is shown");
            for (const [path, text] of Object.entries(rust)) {
              const inOutput = join(withRust.root, ".kit", path);
              const file = existsSync(inOutput) ? inOutput : join(withRust.root, path);
              assert.equal(text, await readFile(file, "utf8"), path);
            }
          } finally {
            await project.remove();
            await withRust.remove();
          }
        });
      }
    });
  });

  test("has a tab for each output, which the keyboard can select", async () => {
    await withPage(browser, `${url}#example=tables`, {}, async ({ page }) => {
      await built(page);
      await page.getByRole("tab", { name: "Validators" }).focus();
      const shown: string[] = [];
      for (let index = 0; index < 5; index += 1) {
        shown.push(await page.getByLabel("Generated file", { exact: true }).inputValue());
        await page.keyboard.press("ArrowRight");
      }
      assert.deepEqual(shown, [
        "codecs.js",
        "schemas/openapi.json",
        "migrations/pending.sql",
        "client/index.ts",
        shown[4],
      ]);
      assert.match(shown[4]!, /^models\/.*\.rs$/);
      await page.keyboard.press("Home");
      assert.equal(await page.getByRole("tab", { name: "Validators" }).getAttribute("aria-selected"), "true");
    });
  });

  test("underlines mistakes at their lines, with a message and a link to the page about the code", async () => {
    await withPage(browser, `${url}#example=${MISTAKE}`, {}, async ({ page }) => {
      await built(page);
      const underlined = page.locator("#source .cm-lintRange-error");
      await underlined.first().waitFor();
      const marks = await underlined.allTextContents();
      assert.ok(
        marks.some((text) => text.includes("@format emial")),
        marks.join(),
      );
      const lines = examples.get(MISTAKE)!.get("src/api.ts")!.split("\n");
      const line = lines.findIndex((text) => text.includes("emial")) + 1;
      const problem = page.locator(".problem", { hasText: "unknown format `emial`" });
      assert.match((await problem.getByRole("button").textContent())!, new RegExp(`^api\\.ts:${line}:7$`));
      const link = problem.getByRole("link", { name: "KIT1302" });
      assert.equal(await link.getAttribute("href"), "../errors/KIT1302.html");
      await readFile(join(repository, "docs/errors/KIT1302.md"));

      await underlined.filter({ hasText: "emial" }).first().hover();
      const tooltip = page.locator(".cm-tooltip-lint");
      await tooltip.getByRole("link", { name: "KIT1302" }).waitFor();

      await problem.getByRole("button").click();
      await page.locator("#source .cm-content:focus").waitFor();
      await page.keyboard.type("@format email ");
      await page.locator("#source").getByText("@format email @format emial").waitFor();
    });
  });

  test("keeps the files of the last build without errors, and replaces them after the correction", async () => {
    await withPage(browser, `${url}#example=formats`, {}, async ({ page }) => {
      await built(page);
      await write(page, "export interface Note {\n  /** @format emial */\n  title: string;\n}\n");
      await page.locator(".outdated").waitFor();
      await page.getByText("before the errors").waitFor();
      await write(page, "export interface Note {\n  /** @format email */\n  title: string;\n}\n");
      await page.locator("#output:not(.outdated)").getByText("NoteValidator").first().waitFor();
    });
  });

  test("builds files that the user adds, and files without one that the user removes", async () => {
    await withPage(browser, `${url}#example=formats`, {}, async ({ page }) => {
      await built(page);
      await page.getByRole("button", { name: "Add a file" }).click();
      const name = page.getByLabel("New file");
      await name.fill("src/api.ts");
      await page.getByText("There is a file src/api.ts already.").waitFor();
      await name.fill("src/pets.ts");
      await page.keyboard.press("Enter");
      await page.getByRole("textbox", { name: "Source of src/pets.ts" }).waitFor();
      await write(page, "export interface Pet {\n  name: string;\n}\n");
      const option = page.locator("#file option", { hasText: "validators/Pet.validator.ts" });
      await option.waitFor({ state: "attached" });
      await page.getByRole("button", { name: "Remove src/pets.ts" }).click();
      await option.waitFor({ state: "detached" });
    });
  });

  test("a link restores all files on another page, and a reload keeps them", async () => {
    await withPage(browser, `${url}#example=books`, {}, async ({ page, context }) => {
      await allowClipboard(context);
      await built(page);
      const text = "export interface Größe {\n  wert: number; // 🦀\n}";
      await write(page, text);
      await built(page);
      const link = await copied(page, page.getByRole("button", { name: "Share" }));
      assert.match(link, /#code=[\w-]+$/);

      const other = await context.newPage();
      await other.goto(link);
      await built(other);
      assert.equal((await source(other)).trim(), text);
      await other.getByRole("tab", { name: "books.routes.ts" }).click();
      await other.locator("#source").getByText("BookRoutes").first().waitFor();

      await page.reload();
      await built(page);
      assert.equal((await source(page)).trim(), text);
    });
  });

  test("a damaged link shows a message, and neither the address nor earlier changes are lost", async () => {
    await withPage(browser, url, {}, async ({ page, context }) => {
      await allowClipboard(context);
      await built(page);
      await write(page, "export interface Kept {\n  name: string;\n}");
      await built(page);
      const link = await copied(page, page.getByRole("button", { name: "Share" }));
      const damaged = link.slice(0, -9);
      for (const [address, reason] of [
        [damaged, "a part of it is missing or was changed"],
        [`${url}#code=%%%`, "it has characters that do not belong there"],
        [`${url}#other=1`, "it does not begin with #code= or #example="],
      ] as const) {
        await page.evaluate(`location.href = ${JSON.stringify(address)}`);
        await page.getByRole("alert").getByText(reason).waitFor();
        assert.equal(page.url(), address);
        await built(page);
      }
      for (let step = 0; step < 3; step += 1) await page.goBack();
      await page.getByText("interface Kept").waitFor();
      assert.equal(await page.getByRole("alert").count(), 0);
    });
  });

  test("does not write more into the address than a link can have", async () => {
    await withPage(browser, url, {}, async ({ page }) => {
      await built(page);
      // Random digits do not get shorter by compression.
      const digits = Array.from({ length: 60_000 }, () => Math.floor(Math.random() * 36).toString(36)).join(
        "",
      );
      await write(page, `// ${digits}`);
      await page.getByRole("alert").getByText("too large for a link").waitFor();
      assert.ok(page.url().length < 200, page.url().slice(0, 300));
    });
  });

  test("selecting an example is a step of the history, so Back restores the changes before it", async () => {
    await withPage(browser, url, {}, async ({ page }) => {
      await built(page);
      await write(page, "export interface Mine {\n  name: string;\n}");
      await page.waitForURL(/#code=/);
      await page.getByLabel("Example").selectOption("unions");
      await page.getByText("interface Card").first().waitFor();
      await page.goBack();
      await page.getByText("interface Mine").first().waitFor();
    });
  });

  test("ends a build that takes longer than 10 s, says so, and tries the next change", async () => {
    await withPage(browser, "about:blank", {}, async ({ page }) => {
      const body = gzipSync(ENDLESS);
      await page.route(COMPILER, (route) => route.fulfill({ body: Buffer.from(body) }));
      await page.clock.install();
      await page.goto(url);
      await page.getByText("Building …").first().waitFor();
      await page.clock.fastForward(10_500);
      await page.getByRole("status").getByText("did not finish within 10 s").waitFor();
      await built(page);
      await write(page, "export interface Next {}");
      await page.locator('.status[data-building="true"]').waitFor();
      await page.clock.fastForward(10_500);
      await built(page);
    });
  });

  test("says that the compiler cannot be loaded, and loads it on request", async () => {
    const expected = /Failed to load resource/;
    await withPage(browser, "about:blank", { expected }, async ({ page }) => {
      await page.route(COMPILER, (route) => route.fulfill({ status: 503 }));
      await page.goto(url);
      await page.getByRole("alert").getByText("answered with status 503").waitFor();
      await page.unroute(COMPILER);
      await page.route(COMPILER, (route) => route.fulfill({ body: Buffer.from("no archive") }));
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("alert").getByText("was not loaded completely").waitFor();
      await page.unroute(COMPILER);
      await page.getByRole("button", { name: "Try again" }).click();
      await built(page);
      await page.getByText("No problems").waitFor();
    });
  });

  test("says that the worker cannot be loaded, and shows the address if the browser refuses a copy", async () => {
    await withPage(
      browser,
      "about:blank",
      { expected: /Failed to load resource/ },
      async ({ page, context }) => {
        await page.route("**/worker-*.js", (route) => route.fulfill({ status: 404 }));
        await page.goto(url);
        await page.getByRole("status").getByText("Reload the page").waitFor();
        await context.clearPermissions();
        await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))`);
        await page.getByRole("button", { name: "Share" }).click();
        await page.getByRole("button", { name: "Copy the address" }).waitFor();
      },
    );
  });

  test("says that the browser refuses a worker, and builds after the next change", async () => {
    await withPage(browser, "about:blank", {}, async ({ page }) => {
      await page.addInitScript(`{
        const { Worker: Real } = globalThis;
        let refused = false;
        globalThis.Worker = class extends Real {
          constructor(...given) {
            if (!refused) {
              refused = true;
              throw new Error("no memory is left");
            }
            super(...given);
          }
        };
      }`);
      await page.goto(url);
      await page.getByRole("status").getByText("The worker failed: Error: no memory is left").waitFor();
      await write(page, "export interface Next { id: string }");
      await page.getByRole("status").getByText(/ ms$/).waitFor();
    });
  });

  test("names the licences of the page's packages", async () => {
    const text = await readFile(join(directory, "licenses.txt"), "utf8");
    for (const name of ["preact", "@codemirror/view", "@bjorn3/browser_wasi_shim"])
      assert.ok(text.includes(name), `${name} in ${text.slice(0, 2000)}`);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    test(`is accessible in the ${colorScheme} theme, and fits a phone`, async () => {
      for (const width of [1280, 390]) {
        await withPage(browser, `${url}#example=${MISTAKE}`, { colorScheme, width }, async ({ page }) => {
          await built(page);
          await page.locator("#source .cm-lintRange-error").first().waitFor();
          await assertAccessible(page, `mistake, ${width}`);
          await page.getByLabel("Example").selectOption("books");
          await page.locator("#output").getByText("@kit/core/codec").waitFor();
          await assertAccessible(page, `books, ${width}`);
          assert.ok((await widthOf(page)) <= width);
          if (process.env["KIT_PNG"] !== undefined)
            await page.screenshot({
              path: join(process.env["KIT_PNG"], `${colorScheme}-${width}.png`),
              fullPage: true,
            });
        });
      }
    });
  }

  test("keeps the theme of the documentation", async () => {
    await withPage(browser, url, { colorScheme: "light" }, async ({ page }) => {
      await built(page);
      await page.getByRole("button", { name: "Use the dark theme" }).click();
      await page.reload();
      assert.equal(await page.evaluate(`document.documentElement.className`), "dark");
      assert.equal(await page.evaluate(`localStorage.getItem("vitepress-theme-appearance")`), "dark");
    });
  });
});
