// Tests the photos example: its own tests, and its page in a browser.

import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { chromium } from "playwright-core";

import { chromiumPath, withoutChromium } from "./support/chromium.ts";
import { Project } from "./support/project.ts";

/** Image of one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=",
  "base64",
);

describe("the photos example", () => {
  let project: Project;
  before(async () => {
    project = await Project.copy("photos");
    await project.kitOk("build");
  });
  after(() => project?.remove());

  test("passes its own tests and its generated contract tests", async () => {
    const { stdout } = await project.kitOk("test");
    // Two routes accept bodies of more than 16 MiB, whose limits contract tests do not send.
    assert.match(stdout, /^\d+ passed, 2 skipped in /m);
    assert.match(stdout, /contracts covered: 7 of 7 routes/);
  });

  test("shows photos that a page in the browser adds", { skip: withoutChromium }, async () => {
    const app = await project.start({
      env: { PHOTOS_DIR: join(project.root, "album"), PHOTOS_PASSWORD: "correct horse" },
    });
    const image = join(project.root, "sea.png");
    await writeFile(image, png);
    const text = join(project.root, "text.png");
    await writeFile(text, "text");
    // No sandbox, because root cannot use it.
    const browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      // Chromium stores `Secure` cookies of `localhost` without HTTPS.
      await page.goto(app.url.replace("127.0.0.1", "localhost"));
      await page.getByLabel("Password").fill("wrong horse");
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByText("The password is wrong").waitFor();
      await page.getByLabel("Password").fill("correct horse");
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByLabel("Title").fill("The sea");
      await page.getByLabel("Tag").fill("blue");
      await page.getByLabel("Photo").setInputFiles(image);
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByText("The photo was added.").waitFor();
      const shown = page.getByRole("img", { name: "The sea" });
      await shown.waitFor();
      await page.waitForFunction(`document.querySelector("img")?.naturalWidth === 1`);
      await page.getByLabel("Title").fill("A text");
      await page.getByLabel("Photo").setInputFiles(text);
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByText("a file of the type image/png, image/jpeg, image/webp").waitFor();
      assert.equal(await page.getByRole("img").count(), 1);
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
    const [stored, ...others] = await readdir(join(project.root, "album/images"));
    assert.deepEqual(others, []);
    assert.deepEqual(await readFile(join(project.root, "album/images", stored!)), png);
    assert.deepEqual(await app.stop(), { code: 0, signal: null });
  });
});
