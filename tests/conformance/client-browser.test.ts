// Tests the typed client in Chromium with every format of bodies, from a page of another origin.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { createApp } from "@kit/core";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { chromiumPath, withoutChromium } from "../e2e/support/chromium.ts";
import { bodyOptions } from "./bodies-application.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

const client = fileURLToPath(
  new URL("../../crates/kit-emit/tests/goldens/bodies/client/index.ts", import.meta.url),
);

/** Code of the page: calls a route of each format, and returns what the client received. */
const calls = `
async (baseUrl) => {
  const received = [];
  const api = client.createClient({
    baseUrl,
    interceptors: [async (request, next) => {
      const response = await next(request);
      received.push(decodeURIComponent(response.headers.get("x-received") ?? ""));
      return response;
    }],
  });
  const noted = async (call) => { await call; return received.at(-1); };
  const book = (pages) => ({ title: "Bücher", pages, printed: new Date(0) });
  async function* later() { for (const pages of [1, 2, 3]) yield await Promise.resolve(book(pages)); }
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const list = async (values) => { const all = []; for await (const value of values) all.push(value); return all; };
  const events = [];
  for await (const event of await api.get("/events")) {
    events.push([event.event, event.id, event.data?.pages ?? event.data?.percent]);
    if (events.length === 6) break;
  }
  return {
    form: await noted(api.post("/sessions", { body: { email: "ü@b.c", count: 2, topics: ["news", "offers"] } })),
    multipart: (await api.post("/photos", { body: {
      title: "Meer", album: { name: "Söhne" }, photo: new File([png], "ü.png", { type: "image/png" }),
    } })).title,
    file: await noted(api.post("/files", { body: { file: new File(["ä"], "a.txt", { type: "text/plain" }) } })),
    raw: await noted(api.post("/hooks", { body: png })),
    blob: await noted(api.post("/images", { body: new Blob([png], { type: "image/png" }), contentType: "image/png" })),
    text: await noted(api.post("/tables", { body: "ä,b", contentType: "text/csv" })),
    lines: (await api.post("/imports", { body: [book(1), book(2)] })).imported,
    laterLines: (await api.post("/imports", { body: later() })).imported,
    table: await api.get("/table"),
    image: Array.from(await api.get("/image")),
    books: (await list(await api.get("/books"))).map(({ pages, printed }) => [pages, printed.getTime()]),
    report: (await api.get("/report")).data,
    events,
  };
}`;

notInRust("the typed client in Chromium", "the program with bodies has no option for CORS");
describe("typed client in Chromium, on a page of another origin", { skip: withoutChromium }, () => {
  let browser: Browser;
  let site: Server;
  let page: Page;
  let origin: string;
  before(async () => {
    // No sandbox, because root cannot use it.
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
    page = await browser.newPage();
    site = createServer((_request, response) => response.end("<!doctype html><title>page</title>"));
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    await page.goto(origin);
    const built = await build({
      entryPoints: [client],
      bundle: true,
      format: "iife",
      globalName: "client",
      platform: "browser",
      write: false,
    });
    await page.addScriptTag({ content: `${built.outputFiles[0]!.text};globalThis.client = client;` });
  });
  after(async () => {
    await browser?.close();
    site?.close();
  });

  for (const [name, make] of servers) {
    test(`${name}: bodies of every format arrive unchanged`, async () => {
      const cors = { origins: [origin], exposedHeaders: ["x-received"] };
      const app = createApp({ ...bodyOptions(), cors, server: make() });
      const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
      try {
        const received = await page.evaluate(`(${calls})("http://127.0.0.1:${port}")`);
        assert.deepEqual(received, {
          form: '{"email":"ü@b.c","count":2,"topics":["news","offers"]}',
          multipart: "Meer",
          file: '{"file":{"name":"a.txt","type":"text/plain","text":"ä"}}',
          raw: '"89504e470d0a1a0a"',
          blob: '"89504e470d0a1a0a"',
          text: '"ä,b"',
          lines: 3,
          laterLines: 6,
          table: "title\nBücher\n",
          image: [0x89, 0x50, 0x4e, 0x47],
          books: [1, 2].map((pages) => [pages, Date.parse("2026-01-02T03:04:05.678Z")]),
          report: "a,b\n",
          events: [
            ["progress", "", 50],
            ["done", "7", 3],
            ["stopped", "7", undefined],
            ["progress", "7", 50],
            ["done", "7", 3],
            ["stopped", "7", undefined],
          ],
        });
      } finally {
        await app.close({ graceMs: 0 });
      }
    });
  }
});
