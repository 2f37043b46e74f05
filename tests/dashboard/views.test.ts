// Tests every view of the dashboard in a real browser: its content in both color schemes and at several widths, and that untrusted
// data is escaped.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { Browser, Page } from "playwright-core";

import { Api } from "../e2e/support/api.ts";
import type { Project } from "../e2e/support/project.ts";
import type { RunningApp } from "../e2e/support/running-app.ts";
import { injection, notes, traffic } from "./support/application.ts";
import { assertAccessible, launch, skip, widthOf, withPage } from "./support/browser.ts";

describe("the views of the dashboard", { skip }, () => {
  let project: Project;
  let app: RunningApp;
  let browser: Browser;
  let url: string;
  /** Ids of requests by the status of their response. */
  const ids = new Map<number, string>();

  before(async () => {
    project = await notes();
    // Types that were changed, so that no migration contains the change.
    const types = join(project.root, "src/notes.types.ts");
    const source = await readFile(types, "utf8");
    const changed = source.replace(
      "  archived: boolean;",
      "$&\n  /** @maxLength 30 */\n  colour: string | null;",
    );
    await writeFile(types, changed);
    await project.kitOk("build");
    const drafts = ["pending.json", "pending.sql"].map((name) => join(project.root, ".kit/migrations", name));
    const texts = await Promise.all(drafts.map((draft) => readFile(draft, "utf8")));
    // The application itself runs with the tables of the unchanged types.
    await writeFile(types, source);
    await project.kitOk("build");
    app = await project.start();
    for (const [index, draft] of drafts.entries()) await writeFile(draft, texts[index]!);
    const port = await app.debugPort();
    url = `http://127.0.0.1:${port}/`;
    await traffic(app);
    const sidecar = new Api(`http://127.0.0.1:${port}`, {});
    const { requests } = (
      await sidecar.get<{ requests: { status: number; requestId: string; method: string }[] }>(
        "/_debug/requests",
      )
    ).body;
    for (const { status, requestId, method } of requests)
      if (status !== 200 || method === "PUT") ids.set(status, requestId);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await project?.remove();
  });

  /** Views with their addresses, and texts that each view shows once it has loaded. */
  const views = (): readonly (readonly [name: string, place: string, texts: readonly string[]])[] => [
    ["requests", "#/requests", ["/nowhere", "NOTE_NOT_FOUND", "VALIDATION_ERROR", "9 requests"]],
    [
      "a request",
      `#/requests/${ids.get(201)}`,
      [
        "Waterfall",
        "middleware:requireAuth",
        "serialization",
        "note.length",
        "Writing a note",
        "[redacted]",
        "Milk, eggs, flour",
      ],
    ],
    [
      "a request that failed",
      `#/requests/${ids.get(400)}`,
      ["$.title", "string, 1 to 200 characters", "$.content", "PostNotesBody", "validation:body"],
    ],
    [
      "errors",
      "#/errors",
      ["INTERNAL_SERVER_ERROR", "The disk is full: no space", "NOTE_NOT_FOUND", "UNAUTHORIZED"],
    ],
    [
      "an error",
      `#/errors/${ids.get(500)}`,
      [
        "src/notes.handlers.ts:",
        'throw new Error("The disk is full: " + body.content);',
        "Stack (",
        "Show the request",
      ],
    ],
    ["logs", "#/logs", ["Writing a note", "The note cannot be written", "POST /notes"]],
    ["routes", "#/routes", ["/notes/:id", "requireAuth", "query Paging → PaginatedResponseOfNoteSummary"]],
    [
      "a route",
      `#/routes/${encodeURIComponent("PUT /notes/:id")}`,
      [
        '"PUT /notes/:id": RouteContract<{ id: string }, void, UpdateNoteInput, Note>;',
        "Changes a note",
        "export const requireAuth = defineMiddleware<AuthContext>",
        '"PUT /notes/:id": async ({ params, body, ctx }) => {',
        "UpdateNoteInput",
        "priority 10",
        "Throughput",
      ],
    ],
    ["performance", "#/performance", ["Latency", "Throughput", "GET /notes/:id", "no route", "p99"]],
    ["health", "#/health", ["Event-loop lag", "Memory", "Connections", "ok", "native on hyper"]],
    ["types", "#/types", ["CreateNoteInput", "table notes", "src/notes.types.ts"]],
    [
      "a type",
      "#/types/Note",
      [
        "maxLength 200",
        "@generated uuid",
        "The headline.",
        "GET /notes/:id",
        "export interface Note {",
        "JSON Schema",
      ],
    ],
    [
      "migrations",
      "#/migrations",
      [
        "Add column colour of notes",
        "safe",
        "changes of the types that no migration contains",
        "kit migrate:generate",
      ],
    ],
    ["jobs", "#/jobs", ["The application has no jobs", "createJobs"]],
  ];

  for (const width of [1280, 360]) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`show their content at ${width} px, ${colorScheme}, without serious violations in axe`, async () => {
        await withPage(browser, url, { width, colorScheme }, async ({ page }) => {
          for (const [name, place, texts] of views()) {
            await page.goto(url + place);
            await shows(page, name, texts);
            assert.ok((await widthOf(page)) <= width, `${name} is ${await widthOf(page)} px wide`);
            await assertAccessible(page, `${name}, ${colorScheme}, ${width} px`);
          }
          const background = (await page.evaluate(
            "getComputedStyle(document.body.parentElement).backgroundColor",
          )) as string;
          assert.equal(Number(/\d+/.exec(background)![0]) < 128, colorScheme === "dark", background);
        });
      });
    }
  }

  test("have dialogs without serious violations in axe", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await withPage(browser, `${url}#/requests/${ids.get(201)}`, { colorScheme }, async ({ page }) => {
        await page.getByRole("button", { name: "Send again" }).click();
        await page.getByRole("dialog", { name: "Send again" }).waitFor();
        await assertAccessible(page, "send again");
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "hidden" });
        await page.keyboard.press("?");
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
        await assertAccessible(page, "shortcuts");
      });
    }
  });

  test("have a menu and dialogs that fit on a narrow screen", async () => {
    const width = 360;
    await withPage(browser, url, { width }, async ({ page }) => {
      const menu = page.getByRole("button", { name: "Menu" });
      const errors = page.getByRole("link", { name: "Errors" });
      assert.equal(await errors.isVisible(), false);
      await menu.click();
      assert.equal(await menu.getAttribute("aria-expanded"), "true");
      await assertAccessible(page, "the menu");
      await errors.click();
      await page.getByRole("heading", { level: 1, name: "Errors" }).waitFor({ state: "attached" });
      await errors.waitFor({ state: "hidden" });
      await page.goto(`${url}#/requests/${ids.get(201)}`);
      await page.getByRole("button", { name: "Send again" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      await assertAccessible(page, "send again, narrow");
      const { x, width: taken } = (await dialog.boundingBox())!;
      assert.ok(x >= 0 && x + taken <= width, `${x} to ${x + taken}`);
      assert.ok((await widthOf(page)) <= width);
    });
  });

  test("link related items to each other", async () => {
    await withPage(browser, `${url}#/errors/${ids.get(400)}`, {}, async ({ page }) => {
      await page.getByRole("link", { name: "PostNotesBody" }).click();
      await page.getByRole("heading", { name: "PostNotesBody" }).waitFor();
      await page.getByRole("link", { name: "POST /notes" }).first().click();
      await page.getByRole("link", { name: "Its requests" }).click();
      await page.getByRole("link", { name: /^201 POST/ }).click();
      await page.getByRole("heading", { name: "POST /notes" }).waitFor();
      assert.match(page.url(), /#\/requests\/.*route=POST/);
      await page.goBack();
      await page.getByRole("complementary").waitFor({ state: "detached" });
    });
  });

  test("escape all untrusted data", async () => {
    const ada = app.as("ada");
    const markup = encodeURIComponent(injection);
    await ada.post("/notes", { title: `broken ${injection}`, content: injection });
    await ada.send("GET", `/notes/${markup}?q=${markup}`, undefined, {
      "x-markup": "<script>document.title='injected'</script>",
    });
    await ada.send("POST", "/notes", `{"title":"","content":"${injection.replaceAll('"', '\\"')}"}`, {
      "content-type": "application/json",
    });
    const { errors } = (
      await new Api(url.slice(0, -1), {}).get<{ errors: { requestId: string }[] }>("/_debug/errors?limit=3")
    ).body;
    // Two errors in the console are expected: one for the attempt at the end, and one for a type that does
    // not exist.
    await withPage(browser, url, { expected: /TrustedHTML|status of 404/ }, async ({ page, requests }) => {
      const places = errors.flatMap(({ requestId }) => [`#/requests/${requestId}`, `#/errors/${requestId}`]);
      for (const place of [
        "#/requests",
        "#/errors",
        "#/logs",
        ...places,
        `#/routes/${markup}`,
        `#/types/${markup}`,
      ]) {
        await page.goto(url + place);
        await page
          .locator("main")
          .getByText("<img")
          .or(page.getByText("%3Cimg"))
          .first()
          .waitFor({ state: "attached" });
        assert.notEqual(await page.title(), "injected");
        assert.equal(await page.locator("img, main script").count(), 0, place);
      }
      // Untrusted data never becomes the address of a link.
      const hrefs = (await page.evaluate("[...document.links].map(({ href }) => href)")) as string[];
      assert.deepEqual(
        hrefs.filter((href) => !href.startsWith(url)),
        [],
      );
      assert.ok(requests.every((requestUrl) => !requestUrl.endsWith("/x")));
      // Even a script on the page cannot insert HTML from a string.
      await assert.rejects(
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p>')"),
        /TrustedHTML/,
      );
    });
  });
});

/** Waits until a view shows these texts. The error on a timeout names the missing text. */
async function shows(page: Page, name: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const place = page.locator("main").getByText(text).first();
    await place.waitFor({ state: "attached" }).catch((error: unknown) => {
      throw new Error(`${name} does not show ${text}`, { cause: error });
    });
  }
}
