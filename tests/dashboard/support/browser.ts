import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

import { chromiumPath, withoutChromium } from "../../e2e/support/chromium.ts";
import { repository } from "../../e2e/support/project.ts";

const isBuilt = existsSync(join(repository, "packages/plugin-debug/dist-dashboard/index.html"));

/** Reason why the tests are skipped. False if they run. */
export const skip: string | false =
  withoutChromium || (!isBuilt && "the dashboard is not built: cargo xtask dashboard");

export function launch(): Promise<Browser> {
  // No sandbox, because root cannot use it.
  return chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
}

/** Options for opening a page. */
export interface Opening {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  /** Matches the console messages that are allowed. A test that breaks the connection causes errors in the console. */
  readonly expected?: RegExp;
}

/** Page that a test has opened. */
export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** URLs of all requests that the page has sent. */
  readonly requests: readonly string[];
}

/** Opens the dashboard and calls `use`. Fails if there are errors in the console, or if the page sends a request to another host. */
export async function withPage(
  browser: Browser,
  url: string,
  opening: Opening,
  use: (opened: Opened) => Promise<void>,
): Promise<void> {
  const { width = 1280, colorScheme = "light", expected = /^$/ } = opening;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const requests: string[] = [];
  const complaints: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  // The event also reports requests that the content security policy blocks.
  page.on("request", (request) => {
    if (/^(https?|wss?):/.test(request.url())) requests.push(request.url());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expected.test(message.text()))
      complaints.push(message.text());
  });
  try {
    await page.goto(url);
    await use({ page, context, requests });
    const { origin } = new URL(page.url());
    assert.deepEqual(
      requests.filter((requestUrl) => new URL(requestUrl).origin !== origin),
      [],
      "the page sent a request to another host",
    );
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Fails if the accessibility checker axe finds a serious violation on the current page. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const found = (await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("\\n")))`,
  )) as string[];
  assert.deepEqual(found, [], what);
}

/** Returns the width of the page's content in pixels. */
export function widthOf(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth");
}

const useful = `new Promise((tell) => {
  const look = () => {
    const [mark] = performance.getEntriesByName("useful");
    if (mark === undefined) setTimeout(look, 10);
    else tell(mark.startTime);
  };
  look();
})`;

/** Waits until the page shows its main content. Returns the milliseconds since the navigation. */
export function usefulAt(page: Page): Promise<number> {
  return page.evaluate(useful);
}
