// Tests the API reference in a real browser: its content, its requests, and its use with a keyboard.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Browser, chromium, type Page, type Response } from "playwright-core";
import { chromiumPath, withoutChromium } from "./support/chromium.ts";
import { Project, repository } from "./support/project.ts";
import type { RunningApp } from "./support/running-app.ts";

const hasViewer = existsSync(join(repository, "packages/api-docs/viewer/standalone.js.gz"));
const skip = withoutChromium || (!hasViewer && "the viewer is not there: cargo xtask viewer");

/** Responses that the proxy has passed on, such as `200 /docs`. */
const proxied: string[] = [];

/** Starts a proxy that serves the application under `/api`, as many deployments do. */
async function proxyTo(app: RunningApp): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const path = /^\/api(\/.*)$/.exec(incoming.url ?? "")?.[1];
    if (path === undefined) return void outgoing.writeHead(404).end();
    const { method, headers } = incoming;
    const passed = request({ host: "127.0.0.1", port: app.port, path, method, headers }, (answer) => {
      proxied.push(`${answer.statusCode} ${path}`);
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return proxy;
}

describe("the API reference in a browser", { skip }, () => {
  let project: Project;
  let app: RunningApp;
  let proxy: Server;
  let browser: Browser;
  /** Addresses of the page: one directly at the application, one behind the proxy. */
  let places: readonly (readonly [place: string, origin: string, prefix: string])[];

  before(async () => {
    project = await Project.ready();
    app = await project.start();
    proxy = await proxyTo(app);
    const { port } = proxy.address() as AddressInfo;
    places = [
      ["directly", app.url, ""],
      ["under a prefix", `http://127.0.0.1:${port}`, "/api"],
    ];
    // No sandbox, because root cannot use it.
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
  });

  after(async () => {
    await browser?.close();
    proxy?.closeAllConnections();
    proxy?.close();
    await project?.remove();
  });

  /** Opens the page and calls `use`. Returns the page's requests to other hosts and the errors in its console. */
  async function withPage(
    options: { readonly width?: number; readonly colorScheme?: "light" | "dark" },
    use: (page: Page, requests: readonly string[]) => Promise<void>,
  ): Promise<{ readonly requests: readonly string[]; readonly complaints: readonly string[] }> {
    const { width = 1280, colorScheme = "light" } = options;
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    // The event reports all requests, also those that the content security policy blocks.
    page.on("request", (sent) => {
      if (/^(https?|wss?):/.test(sent.url())) requests.push(sent.url());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    try {
      await use(page, requests);
    } finally {
      await context.close();
    }
    return { requests, complaints };
  }

  test("shows the routes and types at every width and in both color schemes, and sends no request to another host", async () => {
    for (const width of [1280, 360]) {
      for (const colorScheme of ["light", "dark"] as const) {
        const { requests, complaints } = await withPage({ width, colorScheme }, async (page) => {
          await page.goto(`${app.url}/docs`);
          // Each text is of another kind: summary and text of a doc comment, description of a field, example, code
          // of an error.
          for (const text of [
            "Writes a note",
            "The author is the user of the access token.",
            "Groceries",
            "INVALID_TOKEN",
          ]) {
            const element = page.getByText(text).filter({ visible: true }).first();
            await element.scrollIntoViewIfNeeded({ timeout: 20_000 });
          }
          const { body, background } = (await page.evaluate(
            `({ body: document.documentElement.scrollWidth, background: getComputedStyle(document.body).backgroundColor })`,
          )) as { body: number; background: string };
          assert.ok(body <= width, `at ${width} the page is ${body} wide`);
          const isDark = Number(/\d+/.exec(background)![0]) < 128;
          assert.equal(isDark, colorScheme === "dark", background);
          const maker = page.getByText(/scalar/i).filter({ visible: true });
          assert.deepEqual(await maker.allTextContents(), []);
        });
        assert.deepEqual(complaints, []);
        assert.ok(requests.length >= 4, requests.join("\n"));
        assert.deepEqual(
          requests.filter((url) => !url.startsWith(`${app.url}/docs`)),
          [],
        );
      }
    }
  });

  test("sends requests with a token to the application, directly and through a proxy", async () => {
    for (const [place, origin, prefix] of places) {
      const { requests, complaints } = await withPage({}, async (page) => {
        await page.goto(`${origin}${prefix}/docs/`);
        const open = page.getByRole("button", { name: /Test Request.*post \/notes/i });
        const dialog = page.getByRole("dialog");
        const send = async (): Promise<Response> => {
          await open.click({ timeout: 20_000 });
          const answer = page.waitForResponse((response) => response.request().method() === "POST");
          await dialog.getByRole("button", { name: /^Send/ }).first().click();
          return answer;
        };
        assert.equal((await send()).status(), 401, place);
        await dialog.getByText("UNAUTHORIZED").first().waitFor();
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "hidden" });

        await page.getByRole("textbox", { name: "Bearer Token" }).first().click();
        await page.keyboard.type("ada:user");
        const answer = await send();
        assert.equal(answer.status(), 201, place);
        assert.equal(answer.url(), `${origin}${prefix}/notes`);
        await dialog.getByText('"ada"').first().waitFor();
      });
      // The response with status 401 causes an error in the console.
      assert.deepEqual(
        complaints.filter((text) => !text.includes("status of 401")),
        [],
      );
      assert.deepEqual(
        requests.filter((url) => !url.startsWith(`${origin}${prefix}/`)),
        [],
      );
    }
    const { data } = (await (
      await fetch(`${app.url}/notes`, { headers: { authorization: "Bearer ada:user" } })
    ).json()) as { data: unknown[] };
    assert.equal(data.length, places.length);
  });

  test("is downloaded once, and afterwards only revalidated", async () => {
    await withPage({}, async (page) => {
      const [, origin, prefix] = places[1]!;
      await page.goto(`${origin}${prefix}/docs`);
      await page.getByText("Writes a note").first().waitFor({ state: "attached", timeout: 20_000 });
      proxied.length = 0;
      await page.reload();
      await page.getByText("Writes a note").first().waitFor({ state: "attached", timeout: 20_000 });
    });
    assert.deepEqual(proxied.toSorted(), [
      "304 /docs",
      "304 /docs/openapi.json",
      "304 /docs/start.js",
      "304 /docs/viewer.js",
    ]);
  });

  test("can be used without a mouse", async () => {
    await withPage({}, async (page) => {
      await page.goto(`${app.url}/docs`);
      await page.getByText("Writes a note").first().waitFor({ state: "attached", timeout: 20_000 });
      const focused = (): Promise<string> =>
        page.evaluate(
          `(document.activeElement?.getAttribute("aria-label") ?? "") + " " + (document.activeElement?.textContent ?? "")`,
        );
      const focusedElements: string[] = [];
      for (let press = 0; press < 60 && !/Test Request/.test(focusedElements.at(-1) ?? ""); press += 1) {
        await page.keyboard.press("Tab");
        focusedElements.push(await focused());
      }
      assert.match(focusedElements.join("\n"), /Search/);
      assert.match(focusedElements.join("\n"), /Lists notes/);
      assert.match(focusedElements.at(-1)!, /Test Request/, focusedElements.join("\n"));
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
    });
  });
});
