import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

import { chromiumPath, withoutChromium } from "../../e2e/support/chromium.ts";
import { repository } from "../../e2e/support/project.ts";

const isBuilt = existsSync(join(repository, "packages/plugin-debug/dist-dashboard/index.html"));

/** Why the tests are skipped; false where they are not. */
export const skip: string | false =
  withoutChromium || (!isBuilt && "the dashboard is not built: cargo xtask dashboard");

export function launch(): Promise<Browser> {
  // Without a sandbox, which root has not.
  return chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
}

/** How a page is opened. */
export interface Opening {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  /** What may be complained of: tests that break the connection have that in the console. */
  readonly expected?: RegExp;
}

/** What a test has of a page. */
export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Everything that it asked for over the network, by URL. */
  readonly requests: readonly string[];
}

/** Opens the dashboard, uses it, and insists that it neither complained nor asked another host for anything. */
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
  // What the security policy would stop is seen here too.
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

/** Insists that axe finds nothing serious on the page as it is. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const found = (await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("\\n")))`,
  )) as string[];
  assert.deepEqual(found, [], what);
}

/** How wide the page's content is. */
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

/** Waits until the page shows what people came for, and tells when that was, in milliseconds from the navigation. */
export function usefulAt(page: Page): Promise<number> {
  return page.evaluate(useful);
}
