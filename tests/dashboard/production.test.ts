// Tests the dashboard in production: the key, its load time and its size.

import assert from "node:assert/strict";
import { availableParallelism, loadavg } from "node:os";
import { after, before, describe, test } from "node:test";

import type { Browser } from "playwright-core";

import type { Project } from "../e2e/support/project.ts";
import type { RunningApp } from "../e2e/support/running-app.ts";
import { key, notes, startProduction, traffic } from "./support/application.ts";
import { assertAccessible, launch, skip, usefulAt, widthOf, withPage } from "./support/browser.ts";

/** Views of the dashboard, each with a text that it shows once its code and its data have loaded. */
const viewTexts: readonly (readonly [view: string, text: string])[] = [
  ["streams", "No streams yet"],
  ["errors", "INTERNAL_SERVER_ERROR"],
  ["logs", "Writing a note"],
  ["routes", "query Paging → PaginatedResponseOfNoteSummary"],
  ["performance", "Throughput"],
  ["health", "Event-loop lag"],
  ["types", "CreateNoteInput"],
  ["migrations", "Types and migrations agree"],
  ["jobs", "The application has no jobs"],
];

describe("the dashboard of the sidecar", { skip }, () => {
  let project: Project;
  let browser: Browser;
  before(async () => {
    project = await notes();
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await project?.remove();
  });

  describe("in production", () => {
    let app: RunningApp;
    let url: string;
    before(async () => {
      app = await startProduction(project, { DEBUG_PORT: "0" });
      url = `http://127.0.0.1:${await app.debugPort()}/`;
      await traffic(app);
    });
    after(() => app?.stop());

    test("asks for the key, never writes the key into the address, and stores the key only until the tab is closed", async () => {
      await withPage(browser, url, { expected: /status of 401/ }, async ({ page, context, requests }) => {
        const field = page.getByLabel("Key");
        await field.waitFor();
        await assertAccessible(page, "the form for the key");
        assert.equal(await field.getAttribute("type"), "password");
        await field.fill("wrong");
        await page.keyboard.press("Enter");
        await page.getByRole("alert").getByText("That is not the key.").waitFor();
        await field.fill(key);
        await page.getByRole("button", { name: "Open" }).click();
        await page.getByText("VALIDATION_ERROR").first().waitFor();
        await assertAccessible(page, "requests in production");
        await page.reload();
        await page.getByText("VALIDATION_ERROR").first().waitFor();
        assert.ok(requests.every((requestUrl) => !requestUrl.includes(key)));
        assert.ok(!page.url().includes(key));
        assert.equal(await page.evaluate("document.cookie + JSON.stringify(localStorage)"), "{}");

        // Another tab does not know the key.
        const other = await context.newPage();
        await other.goto(url);
        await other.getByLabel("Key").waitFor();
        await page.getByRole("button", { name: "Forget the key" }).click();
        await field.waitFor();
        assert.equal(await page.evaluate("sessionStorage.length"), 0);
      });
    });

    test("shows no headers, no bodies, no source code and no button to send a request again", async () => {
      await withPage(browser, url, { expected: /status of 401/, width: 360 }, async ({ page, requests }) => {
        assert.ok((await widthOf(page)) <= 360);
        await page.getByLabel("Key").fill(key);
        await page.keyboard.press("Enter");
        await page.getByText("VALIDATION_ERROR").first().click();
        await page.getByText("Requests can be sent again in development only.").waitFor();
        await page.getByText("Headers and bodies are not recorded in production.").waitFor();
        assert.equal(await page.getByRole("button", { name: "Send again" }).count(), 0);
        await page.goto(`${url}#/routes/${encodeURIComponent("POST /notes")}`);
        await page.getByText("Source text is shown in development only.").first().waitFor();
        assert.ok(requests.every((requestUrl) => !requestUrl.includes("/_debug/source")));
        const text = (await page.evaluate("document.body.textContent")) as string;
        assert.doesNotMatch(text, /Bearer ada|RouteContract</);
      });
    });

    test("sends fewer requests than the rate limit allows, and waits if the limit is reached", async () => {
      const strict = await startProduction(project, { DEBUG_PORT: "0", DEBUG_MAX: "12" });
      const strictUrl = `http://127.0.0.1:${await strict.debugPort()}/`;
      await withPage(browser, strictUrl, { expected: /status of (401|429)/ }, async ({ page, requests }) => {
        await page.getByLabel("Key").fill(key);
        await page.keyboard.press("Enter");
        await page.getByText("No requests yet").waitFor();
        // Waits until the requests of the first load have finished.
        await page.waitForTimeout(2_000);
        const requestCount = requests.length;
        await page.waitForTimeout(4_000);
        assert.equal(requests.length, requestCount, "with twelve a minute it does not ask every second");
        for (let count = 0; count < 12; count += 1) await fetch(strictUrl);
        await page.getByRole("button", { name: "Live" }).click();
        await page.getByRole("button", { name: "Paused" }).click();
        await page
          .getByRole("alert")
          .getByText(/Too many requests: the page asks the sidecar again in \d+ s/)
          .waitFor();
      });
      await strict.stop();
    });
  });

  test("loads within 300 ms, and is smaller than 200 KB in total", async (t) => {
    const app = await project.start();
    const url = `http://127.0.0.1:${await app.debugPort()}/`;
    await traffic(app);
    const times: number[] = [];
    const processorTimes: number[] = [];
    let transferred = 0;
    // Takes the fastest of several loads, because other work on this machine can only make a load slower.
    for (let load = 0; load < 5 || (load < 20 && Math.min(...times) >= 300); load += 1) {
      // Each load begins with an empty cache.
      await withPage(browser, "about:blank", {}, async ({ page, context }) => {
        const developer = await context.newCDPSession(page);
        await developer.send("Performance.enable", { timeDomain: "threadTicks" });
        await page.goto(url);
        times.push(await usefulAt(page));
        const { metrics } = await developer.send("Performance.getMetrics");
        processorTimes.push(metrics.find(({ name }) => name === "TaskDuration")!.value * 1_000);
        await page.getByText("NOTE_NOT_FOUND").first().waitFor();
        if (load > 0) return;
        // Opens all views, because each one loads its code when it is opened first. The text of a view is there only after its code.
        for (const [view, text] of viewTexts) {
          await page.goto(`${url}#/${view}`);
          await page.getByText(text).first().waitFor();
        }
        transferred = await page.evaluate(
          `performance.getEntries().filter(({ name, entryType }) => entryType === "navigation" || name.includes("/assets/"))
            .reduce((sum, { transferSize }) => sum + transferSize, 0)`,
        );
      });
    }
    const [best, least] = [Math.min(...times), Math.min(...processorTimes)].map(Math.round);
    const busy = loadavg()[0]! / availableParallelism();
    const measured = `useful after ${best} ms, ${least} ms of them the page's own work; ${transferred} bytes; load ${busy.toFixed(1)} a processor`;
    t.diagnostic(measured);
    assert.ok(transferred > 30_000 && transferred < 200_000, measured);
    // Checks the CPU time of the page, which does not depend on other work on the machine.
    assert.ok(least! < 300, measured);
    if (best! >= 300 && busy > 1.5) t.diagnostic("this machine is too busy to say how long a person waits");
    else assert.ok(best! < 300, measured);
    await app.stop();
  });
});
