// Tests the use of the dashboard: live updates, filters, keys, sending a request again, and a lost
// connection.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import type { Browser, Locator, Page } from "playwright-core";

import { freePort } from "../../packages/core/test/support/free-port.ts";
import { run } from "../e2e/support/command.ts";
import type { Project } from "../e2e/support/project.ts";
import type { RunningApp } from "../e2e/support/running-app.ts";
import type { NoteJson, PageJson } from "../e2e/support/wire.ts";
import { notes, traffic } from "./support/application.ts";
import { launch, skip, usefulAt, withPage } from "./support/browser.ts";

describe("the dashboard in use", { skip }, () => {
  let project: Project;
  let app: RunningApp;
  let browser: Browser;
  let port: number;
  let url: string;

  const start = (): Promise<RunningApp> => project.start({ env: { DEBUG_PORT: String(port) } });

  before(async () => {
    project = await notes();
    port = await freePort();
    app = await start();
    await app.debugPort();
    url = `http://localhost:${port}/`;
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await project?.remove();
  });

  test("shows new requests and requests in progress immediately, but none while it is paused", async () => {
    await withPage(browser, url, {}, async ({ page }) => {
      await page.getByText("No requests yet").waitFor();
      await usefulAt(page);
      const ada = app.as("ada");
      await ada.get("/notes?page=7");
      await rows(page).filter({ hasText: "/notes?page=7" }).waitFor();
      await page.locator("[data-announcer]").getByText("1 new request").waitFor({ state: "attached" });

      const slow = ada.post("/notes", { title: "slow", content: "c" });
      await rows(page).filter({ hasText: "active" }).filter({ hasText: "in handler" }).waitFor();
      await slow;
      await rows(page)
        .filter({ hasText: /201\s*POST/ })
        .waitFor();
      assert.equal(await rows(page).count(), 2);

      await page.getByRole("button", { name: "Live" }).click();
      await ada.get("/notes?page=8");
      await page.waitForTimeout(2_500);
      assert.equal(await rows(page).count(), 2);
      await page.getByRole("button", { name: "Paused" }).click();
      await rows(page).filter({ hasText: "/notes?page=8" }).waitFor();
      assert.equal(await rows(page).count(), 3);
    });
  });

  test("filters requests by method, status, route, text and trace id, and writes the filter into the address", async () => {
    await traffic(app);
    await withPage(browser, url, {}, async ({ page }) => {
      await rows(page).first().waitFor();
      const listedRequests = async (): Promise<string[]> => {
        const texts = await rows(page).allTextContents();
        return texts.map((text) => /^(\d+)([A-Z]+?)(?=\/)/.exec(text)!.slice(1, 3).join(" "));
      };
      await page.getByLabel("Status").selectOption("5xx");
      assert.deepEqual(await listedRequests(), ["500 POST"]);
      assert.match(page.url(), /status=5xx/);
      await page.getByLabel("Status").selectOption("failed");
      await page.getByLabel("Method").selectOption("POST");
      assert.deepEqual(await listedRequests(), ["500 POST", "400 POST"]);
      await page.reload();
      await rows(page).first().waitFor();
      assert.deepEqual(await listedRequests(), ["500 POST", "400 POST"], "the address has the filter");
      await page.getByLabel("Method").selectOption("");
      await page.getByLabel("Route").selectOption("none");
      assert.deepEqual(await listedRequests(), ["404 GET"]);
      await page.goto(url);
      const search = page.getByRole("searchbox");
      await search.fill("note_not");
      assert.deepEqual(await listedRequests(), ["404 GET"]);
      await rows(page).first().click();
      const traceId = await page.locator(".id.long .mono").first().textContent();
      assert.match(traceId!, /^[0-9a-f]{32}$/);
      await search.fill(traceId!);
      assert.equal(await rows(page).count(), 1);
      await search.fill("there is nothing like this");
      await page.getByText("No request is like that").waitFor();
      await page.getByRole("button", { name: "Clear the filter" }).click();
      await rows(page).nth(3).waitFor();
      await page.goto(`${url}#/logs`);
      await page.getByLabel("Least level").selectOption("error");
      await page.getByText("Writing a note").first().waitFor({ state: "detached" });
      await page.getByText("The note cannot be written").first().waitFor();
    });
  });

  test("can be used without a mouse", async () => {
    await withPage(browser, url, {}, async ({ page }) => {
      await rows(page).first().waitFor();
      const focused = (): Promise<string> => page.evaluate("document.activeElement?.textContent ?? ''");
      await page.keyboard.press("Tab");
      assert.equal(await focused(), "Skip to the content");
      await page.keyboard.press("Enter");
      assert.equal(await page.evaluate("document.activeElement?.id"), "main");
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      const second = await rows(page).nth(1).textContent();
      assert.equal(await focused(), second);
      await page.keyboard.press("k");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("complementary").getByText("Waterfall").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("complementary").waitFor({ state: "detached" });
      await page.keyboard.press("/");
      await page.keyboard.type("note 7?");
      assert.equal(
        await page.getByRole("searchbox").inputValue(),
        "note 7?",
        "letters in a field are letters",
      );
      await page.keyboard.press("Escape");
      for (const [key, title] of [
        ["2", "Streams"],
        ["3", "Errors"],
        ["4", "Logs"],
        ["5", "Routes"],
        ["6", "Performance"],
        ["7", "Health"],
        ["8", "Types"],
        ["9", "Migrations"],
        ["0", "Jobs"],
        ["1", "Requests"],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByRole("heading", { level: 1, name: title }).waitFor({ state: "attached" });
      }
      // Users of speech input turn the shortcuts off that are a single key.
      await page.keyboard.press("?");
      await page.getByRole("checkbox").uncheck();
      await page.keyboard.press("Escape");
      await page.keyboard.press("2");
      await page.waitForTimeout(200);
      assert.equal(await page.title(), "Requests · notes");
    });
  });

  test("copies a request as a curl command that sends the same request", async () => {
    const ada = app.as("ada");
    const title = `it's $HOME "here" \\ and`;
    await ada.post("/notes", { title, content: "line\nbreak" });
    await withPage(browser, url, {}, async ({ page, context }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await rows(page).filter({ hasText: "201" }).first().click();
      await page.getByRole("button", { name: "Copy as curl" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const command = (await page.evaluate("navigator.clipboard.readText()")) as string;
      assert.ok(command.includes(`-H 'authorization: '"\${AUTHORIZATION:?}"`), command);
      const { stdout, code } = await run("sh", ["-c", command], {
        cwd: project.root,
        env: { AUTHORIZATION: "Bearer ada:user" },
      });
      assert.equal(code, 0);
      assert.match(stdout, /^HTTP\/1\.1 201 /);
      const note = JSON.parse(stdout.slice(stdout.indexOf("{"))) as NoteJson;
      assert.deepEqual([note.title, note.content, note.authorId], [title, "line\nbreak", "ada"]);
    });
  });

  test("sends a request again, unchanged or changed", async () => {
    const ada = app.as("ada");
    await ada.post("/notes", { title: "Twice", content: "c" });
    const total = async (): Promise<number> => (await ada.get<PageJson>("/notes")).body.pagination.total;
    const already = await total();
    // The request that is refused causes an error in the console.
    await withPage(browser, url, { expected: /status of 400/ }, async ({ page }) => {
      await rows(page)
        .filter({ hasText: /201\s*POST/ })
        .first()
        .click();
      await page.getByRole("complementary").getByText("Waterfall").waitFor();
      await page.keyboard.press("r");
      const dialog = page.getByRole("dialog", { name: "Send again" });
      await dialog.getByText("POST may change data").waitFor();
      await dialog
        .getByText("These values are hidden, so the dashboard cannot resend them: authorization")
        .waitFor();
      const headers = dialog.getByRole("textbox", { name: "Headers" });
      const text = await headers.inputValue();
      assert.match(text, /^authorization: \[redacted\]$/m);
      await headers.fill(text.replace("[redacted]", "Bearer ada:user"));
      await dialog.getByRole("button", { name: "Send" }).click();
      await dialog.getByText("201").waitFor();
      await dialog.getByText('"title": "Twice"').waitFor();
      assert.equal(await total(), already + 1);

      await dialog.getByRole("textbox", { name: "Body" }).fill('{"title":"","content":"c"}');
      await dialog.getByRole("button", { name: "Send" }).click();
      await dialog.getByText("VALIDATION_ERROR").waitFor();
      await dialog.getByLabel("target").fill("nowhere");
      await dialog.getByRole("button", { name: "Send" }).click();
      await dialog.getByText("`target` must be a path").waitFor();
      await dialog.getByLabel("target").fill("/notes");
      await dialog.getByRole("textbox", { name: "Body" }).fill('{"title":"Thrice","content":"c"}');
      await dialog.getByRole("button", { name: "Send" }).click();
      await dialog.getByText('"title": "Thrice"').waitFor();
      assert.equal(await total(), already + 2);
      await dialog.getByRole("link", { name: "Show this request" }).click();
      await page.getByRole("complementary").getByText("Thrice").first().waitFor();
    });
  });

  test("has the color scheme of the operating system until the user selects a scheme, which the dashboard remembers", async () => {
    await withPage(browser, `${url}#/performance`, { colorScheme: "light" }, async ({ page }) => {
      await page.locator("canvas").first().waitFor();
      assert.equal(await isDark(page), false);
      await page.emulateMedia({ colorScheme: "dark" });
      assert.equal(await isDark(page), true);
      const button = page.getByRole("button", { name: /^Theme:/ });
      await button.click();
      assert.match((await button.getAttribute("aria-label"))!, /^Theme: light/);
      assert.equal(await isDark(page), false);
      await page.reload();
      await page.locator("canvas").first().waitFor();
      assert.equal(await isDark(page), false);
      await page.keyboard.press("t");
      assert.equal(await isDark(page), true);
    });
  });

  test("shows that the connection is lost, and continues when the connection is back", async () => {
    // Each request without a response causes an error in the console.
    const expected = /net::ERR_|status of 404/;
    await withPage(browser, url, { expected }, async ({ page }) => {
      await rows(page).first().waitFor();
      const past = await rows(page).count();
      await app.stop();
      await page.getByRole("alert").getByText("Connection lost").waitFor();
      assert.equal(await page.locator("[data-pulse]").getAttribute("data-pulse"), "lost");
      assert.equal(await rows(page).count(), past, "what was there stays");
      app = await start();
      await app.debugPort();
      await page.getByRole("alert").waitFor({ state: "detached" });
      await page
        .locator("[data-announcer]")
        .getByText("The connection is back")
        .waitFor({ state: "attached" });
      await app.as("ada").get("/notes?page=99");
      await rows(page).filter({ hasText: "/notes?page=99" }).waitFor();
      // The new process does not know the requests of the stopped one.
      await rows(page).nth(1).click();
      await page.getByText("This request is not kept any more").waitFor();
    });
  });
});

/** Returns the rows of the list of requests. */
function rows(page: Page): Locator {
  return page.getByRole("list", { name: "Requests, the newest first" }).getByRole("link");
}

function isDark(page: Page): Promise<boolean> {
  return page.evaluate(
    "Number(/\\d+/.exec(getComputedStyle(document.documentElement).backgroundColor)[0]) < 128",
  );
}
