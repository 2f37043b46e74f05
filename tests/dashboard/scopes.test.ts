// Tests that the dashboard shows the scopes that a route requires, and the scopes that a refused caller lacked.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import type { Browser } from "playwright-core";

import { Api } from "../e2e/support/api.ts";
import { Project } from "../e2e/support/project.ts";
import { launch, skip, withPage } from "./support/browser.ts";

const files = new Map([
  ["package.json", '{ "name": "drafts", "version": "1.0.0", "type": "module", "private": true }\n'],
  [
    "src/drafts.routes.ts",
    `import type { Route, Scopes } from "@kit/types";

export interface DraftRoutes {
  "GET /drafts": Route<{ response: string[]; auth: Scopes<"drafts:list" | "drafts:read"> | Scopes<"admin"> }>;
  "GET /health-of-drafts": Route<{ response: string }>;
}
`,
  ],
  [
    "src/main.ts",
    `import { createApp, defineHandlers, defineMiddleware } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";
import { nativeServer } from "@kit/server-native";
import type { Auth } from "@kit/types";
import type { DraftRoutes } from "./drafts.routes.ts";

/** Takes the scopes of the caller from the header x-scopes. */
export const readCaller = defineMiddleware<{ auth: Auth<"drafts:list" | "drafts:read" | "admin"> }>(({ headers }) => {
  const scopes = (headers["x-scopes"] ?? "").split(" ");
  return { auth: { has: (scope) => scopes.includes(scope) } };
});

export const draftHandlers = defineHandlers<DraftRoutes>({
  "GET /drafts": () => ["a"],
  "GET /health-of-drafts": () => "ok",
});

const app = createApp({
  server: nativeServer(),
  routes: [{ handlers: draftHandlers, middleware: [{ name: "readCaller", middleware: readCaller, priority: 0 }] }],
  plugins: [debugPlugin({ mode: "dev", port: Number(process.env["DEBUG_PORT"]) })],
});
const { url } = await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
console.log("Listening on " + url);
`,
  ],
]);

describe("the scopes of a route in the dashboard", { skip }, () => {
  let project: Project;
  let browser: Browser;
  let url: string;
  /** Id of the refused request. */
  let refused: string;

  before(async () => {
    project = await Project.of(files);
    await project.build();
    const app = await project.start();
    const port = await app.debugPort();
    url = `http://127.0.0.1:${port}/`;
    assert.equal((await app.with({ "x-scopes": "drafts:list" }).get("/drafts")).status, 403);
    const sidecar = new Api(`http://127.0.0.1:${port}`, {});
    const { body } = await sidecar.get<{ requests: { requestId: string }[] }>("/_debug/requests");
    refused = body.requests[0]!.requestId;
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await project?.remove();
  });

  /** Opens a view, and waits until it shows each text. */
  async function shows(place: string, ...texts: readonly string[]): Promise<void> {
    await withPage(browser, url + place, {}, async ({ page }) => {
      for (const text of texts) {
        // oxlint-disable-next-line no-await-in-loop
        await page.getByText(text).first().waitFor();
      }
    });
  }

  const required = "drafts:list and drafts:read, or admin";

  test("are in the list of routes", () => shows("#/routes", `needs ${required}`));

  test("are on the page of the route", () =>
    shows(`#/routes/${encodeURIComponent("GET /drafts")}`, "Scopes", required));

  test("are beside a refused request, with the scopes that its caller lacked", () =>
    shows(`#/requests/${refused}`, required, "Missing scopes", "drafts:read, or admin"));
});
