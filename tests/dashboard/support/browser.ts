import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

import { chromiumPath, withoutChromium } from "../../e2e/support/chromium.ts";
import { repository } from "../../e2e/support/project.ts";

const isBuilt = existsSync(join(repository, "packages/plugin-debug/dist-dashboard/index.html"));

/** Reason for skipping the tests, or false to run them. */
export const skip: string | false =
  withoutChromium || (!isBuilt && "the dashboard is not built: cargo xtask dashboard");

export function launch(): Promise<Browser> {
  // Without a sandbox, because root cannot use it.
  return chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
}

/** Options for opening a page. */
export interface Opening {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  /** Console messages that are allowed: tests that break the connection cause errors in the console. */
  readonly expected?: RegExp;
}

/** Opened page for a test. */
export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** URLs of all requests of the page. */
  readonly requests: readonly string[];
}

/** Opens the dashboard and runs `use`. Fails if the console has errors, or if the page sends a request to another host. */
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
  // This event also reports requests that the content security policy would block.
  page.on("request", (asked) => {
    if (/^(https?|wss?):/.test(asked.url())) requests.push(asked.url());
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
      requests.filter((asked) => new URL(asked).origin !== origin),
      [],
      "it asked another host",
    );
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Fails if axe finds a serious violation on the current page. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const found = (await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("\\n")))`,
  )) as string[];
  assert.deepEqual(found, [], what);
}

/** Returns the width of the page's content. */
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

/** Waits until the page shows its main content. Returns the time since the navigation, in milliseconds. */
export function usefulAt(page: Page): Promise<number> {
  return page.evaluate(useful);
}
