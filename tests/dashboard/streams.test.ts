// Tests the view of WebSockets and streams in a real browser: while they are open, at their end, and in both color schemes.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";

import { nativeServer } from "@kit/server-native";
import type { Browser, Page } from "playwright-core";
import type { WebSocket } from "ws";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { echo, gate, open, read, type Running, start } from "../conformance/observed-streams-application.ts";
import { injection } from "./support/application.ts";
import { assertAccessible, launch, skip, widthOf, withPage } from "./support/browser.ts";

quietStdout();

const row = (page: Page, text: RegExp): ReturnType<Page["locator"]> =>
  page.locator("[data-row]").filter({ hasText: text });

describe("the view of streams", { skip }, () => {
  let app: Running;
  let browser: Browser;
  let socket: WebSocket;
  let url: string;
  before(async () => {
    app = await start(nativeServer(), { mode: "dev" });
    url = `http://127.0.0.1:${app.sidecarPort}/#/streams`;
    const closed = await open(app.port, "/echo");
    closed.send(JSON.stringify({ text: "bye" }));
    await once(closed, "close");
    gate.release = Promise.withResolvers();
    await read(app.port, "/events", /"percent":20/);
    socket = await open(app.port, "/echo?token=secret");
    await echo(socket, { text: "Hello", password: "hunter2" });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    socket?.terminate();
    gate.release.resolve();
    await app?.[Symbol.asyncDispose]();
  });

  for (const width of [1280, 360]) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`lists the streams and shows messages at ${width} px, ${colorScheme}, without serious violations in axe`, async () => {
        await withPage(browser, url, { width, colorScheme }, async ({ page }) => {
          await page.getByText("2 open").waitFor();
          await row(page, /4001.*closed by the application, 4001: As you wish/s).waitFor();
          await row(page, /EVENTS.*\/events.*0 received · 2 sent/s).waitFor();
          await assertAccessible(page, "the list");
          assert.ok((await widthOf(page)) <= width);
          await row(page, /\/echo\?token=\[redacted\]/).click();
          const detail = page.getByRole("complementary", { name: "The stream in full" });
          await detail.getByText('{"text":"Hello","password":"[redacted]"}').waitFor();
          await detail.getByText("still open").waitFor();
          await assertAccessible(page, "a WebSocket");
          assert.ok((await widthOf(page)) <= width);
          const { KIT_SCREENSHOTS: directory } = process.env;
          if (directory !== undefined)
            await page.screenshot({ path: `${directory}/streams-${width}-${colorScheme}.png` });
        });
      });
    }
  }

  test("shows new messages, escaped, and the end without a reload", async () => {
    const client = await open(app.port, "/echo");
    await withPage(browser, url, {}, async ({ page }) => {
      await row(page, /\/echo\s*0 received · 0 sent/).click();
      const detail = page.getByRole("complementary");
      await detail.getByText("No messages yet.").waitFor();
      await echo(client, { text: injection });
      await detail.getByText("1 message, ").first().waitFor();
      assert.equal(await detail.locator("img").count(), 0);
      await detail.getByText("onerror=").first().waitFor();
      client.close(3001, "enough");
      await detail.getByText("the client disconnected, 3001: enough").waitFor();
      await detail.getByRole("link", { name: "Show the request" }).click();
      await page.getByRole("heading", { name: "/echo" }).waitFor();
      await page.goBack();
      await page.getByLabel("State").selectOption("open");
      await row(page, /enough/).waitFor({ state: "detached" });
    });
  });
});
