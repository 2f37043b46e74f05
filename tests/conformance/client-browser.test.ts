// Tests the typed client in Chromium with every format of bodies, from a page of another origin. The program of the Rust server
// has no option for CORS, so its page has the origin of the server, and opens a WebSocket too.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
} from "node:net";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { createApp } from "@kit/core";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { chromiumPath, withoutChromium } from "../e2e/support/chromium.ts";
import { bodyOptions } from "./bodies-application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

/** Returns the path of a generated client, which is a golden file. */
function clientOf(golden: string): string {
  return fileURLToPath(
    new URL(`../../crates/kit-emit/tests/goldens/${golden}/client/index.ts`, import.meta.url),
  );
}

/** Opens a page, and loads generated clients as global variables with the names of their goldens. */
async function openPage(browser: Browser, origin: string, goldens: readonly string[]): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(origin);
  for (const golden of goldens) {
    const built = await build({
      entryPoints: [clientOf(golden)],
      bundle: true,
      format: "iife",
      globalName: golden,
      platform: "browser",
      write: false,
    });
    await page.addScriptTag({ content: `${built.outputFiles[0]!.text};globalThis.${golden} = ${golden};` });
  }
  return page;
}

const html = "<!doctype html><title>page</title>";

/** Result of {@link calls}. */
const expected = {
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
};

/** Code of the page: calls a route of each format, and returns what the client received. */
const calls = `
async (baseUrl) => {
  const received = [];
  const api = bodies.createClient({
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

/** Code of the page: exchanges messages over a WebSocket, and returns what the client received. */
const talk = `
async (baseUrl) => {
  const socket = await sockets.createClient({ baseUrl }).ws("/heartbeat");
  const received = [];
  for (let sent = 0; sent < 3; sent += 1) {
    socket.send("ping");
    for await (const message of socket) { received.push(message); break; }
  }
  socket.close(4001, "done");
  const { code } = await socket.closed;
  return { received, code };
}`;

/** Server that answers `GET /page` with a page, and passes the bytes of all other connections to an application. */
async function pageBefore(application: number): Promise<{ origin: string; server: NetServer }> {
  const server = createNetServer((browser) => {
    browser.on("error", () => browser.destroy());
    browser.once("data", (first: Buffer) => {
      if (first.toString("latin1").startsWith("GET /page ")) {
        const head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n";
        browser.end(`${head}content-length: ${html.length}\r\n\r\n${html}`);
        return;
      }
      const passed = connect(application, "127.0.0.1");
      passed.on("error", () => browser.destroy());
      passed.write(first);
      browser.pipe(passed).pipe(browser);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe(
  "typed client in Chromium, on a page of the Rust server's origin",
  { skip: withoutChromium || (!isRust && "this run tests the servers on Node") },
  () => {
    test("rust: bodies of every format and messages of a WebSocket arrive unchanged", async () => {
      await using app = await startRust("rust-server", { bodyBytes: 1024 * 1024 });
      const { origin, server } = await pageBefore(app.port);
      const browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
      try {
        const page = await openPage(browser, `${origin}/page`, ["bodies", "sockets"]);
        assert.deepEqual(await page.evaluate(`(${calls})("${origin}")`), expected);
        assert.deepEqual(await page.evaluate(`(${talk})("${origin}")`), {
          received: ["ping", "ping", "ping"],
          code: 4001,
        });
      } finally {
        await browser.close();
        server.close();
      }
    });
  },
);

describe(
  "typed client in Chromium, on a page of another origin",
  { skip: withoutChromium || (isRust && "this run tests the Rust server") },
  () => {
    let browser: Browser;
    let site: Server;
    let page: Page;
    let origin: string;
    before(async () => {
      // No sandbox, because root cannot use it.
      browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
      site = createServer((_request, response) => response.end(html));
      site.listen(0, "127.0.0.1");
      await once(site, "listening");
      origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      page = await openPage(browser, origin, ["bodies"]);
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
          assert.deepEqual(received, expected);
        } finally {
          await app.close({ graceMs: 0 });
        }
      });
    }
  },
);
