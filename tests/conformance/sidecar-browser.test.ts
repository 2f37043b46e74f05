// Tests the dashboard of the Rust server's debug sidecar in a real browser. `tests/dashboard` tests the one of applications on Node.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { Browser, Page } from "playwright-core";

import { sendRequest } from "../../packages/plugin-debug/test/support/sidecar.ts";
import { assertAccessible, launch, skip, withPage } from "../dashboard/support/browser.ts";
import { isRust, type RustServed, startRust } from "./rust.ts";

/** Directory for a picture of each view. No pictures are taken without it. */
const pictures = process.env["KIT_PICTURES"];

async function shows(page: Page, name: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const place = page.locator("main").getByText(text).first();
    await place.waitFor({ state: "attached" }).catch((error: unknown) => {
      throw new Error(`${name} does not show ${text}`, { cause: error });
    });
  }
  if (pictures !== undefined)
    await page.screenshot({ path: join(pictures, `${name.replaceAll(" ", "-")}.png`) });
}

describe("the dashboard of a Rust server", { skip: isRust ? skip : "needs KIT_E2E_SERVER=rust" }, () => {
  let app: RustServed;
  let browser: Browser;
  let url: string;
  /** Id of a request whose handler failed. */
  let failedId: string;

  const post = (body: unknown): Promise<unknown> =>
    sendRequest(app.port, "/notes", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer s3cr3t" },
      body: JSON.stringify(body),
    });

  before(async () => {
    const variables = { LOG_LEVEL: "info", DEBUG_PORT: "0" };
    // The sidecar shows source code below the directory in which the server was started.
    const root = join(import.meta.dirname, "rust-server");
    app = await startRust("rust-server", { bodyBytes: 65_536 }, "development", variables, root);
    url = `${/The debug sidecar listens on (http:\/\/[\d.]+:\d+)/.exec(app.log!())![1]}/`;
    browser = await launch();
    await post({ text: "Groceries" });
    await post({ text: 5 });
    await sendRequest(app.port, "/numbers/7");
    await sendRequest(app.port, "/bug");
    const { errors } = (await (await fetch(`${url}_debug/errors?limit=1`)).json()) as {
      errors: { requestId: string }[];
    };
    failedId = errors[0]!.requestId;
  });
  after(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  test("shows requests, errors, logs, routes, latencies and the health of the process", async () => {
    const views: readonly (readonly [name: string, place: string, texts: readonly string[]])[] = [
      ["requests", "#/requests", ["/numbers/7", "VALIDATION_ERROR", "4 requests"]],
      [
        "a request that failed",
        `#/requests/${failedId}`,
        ["Waterfall", "middleware:global5", "handler", "secret"],
      ],
      ["errors", "#/errors", ["INTERNAL_SERVER_ERROR", "VALIDATION_ERROR", "secret"]],
      ["an error", `#/errors/${failedId}`, ["Show the request", "GET /bug"]],
      ["logs", "#/logs", ["secret", "GET /bug"]],
      ["routes", "#/routes", ["/numbers/:id", "global5", "OneText"]],
      [
        "a route",
        `#/routes/${encodeURIComponent("POST /notes")}`,
        ['"POST /notes": RouteContract<void, void, OneText, OneText>;', "async fn post_notes", "Throughput"],
      ],
      ["performance", "#/performance", ["Latency", "Throughput", "GET /numbers/:id", "p99"]],
      [
        "health",
        "#/health",
        [
          "Memory",
          "Connections",
          "axum on hyper",
          "Not available for this server",
          "A Rust server has no jobs",
        ],
      ],
      ["types", "#/types", ["OneText"]],
      ["a type", "#/types/OneText", ["POST /notes", "JSON Schema"]],
      ["migrations", "#/migrations", ["no tables"]],
      ["jobs", "#/jobs", ["This server does not have this view", "A Rust server has no jobs"]],
    ];
    await withPage(browser, url, {}, async ({ page }) => {
      for (const [name, place, texts] of views) {
        await page.goto(url + place);
        await shows(page, name, texts);
        await assertAccessible(page, name);
      }
      assert.equal(await page.getByRole("link", { name: "Jobs" }).count(), 0);
      assert.equal(await page.getByText("Event-loop lag").count(), 0);
    });
  });

  test("shows new requests while it is open", async () => {
    await withPage(browser, `${url}#/requests`, {}, async ({ page }) => {
      await page.getByText("4 requests").waitFor();
      await sendRequest(app.port, "/numbers/8?token=s3cr3t");
      await page.getByText("/numbers/8?token=[redacted]").waitFor();
      await page.getByText("/numbers/8?token=[redacted]").click();
      await page.getByText("Send again").first().waitFor();
    });
  });
});
