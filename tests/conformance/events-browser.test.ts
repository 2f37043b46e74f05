// Tests event streams with the `EventSource` of Chromium: the cases of `conformance/event-streams.json`, and the events
// that each server sends.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { after, before, describe, test } from "node:test";

import { type Browser, chromium, type Page } from "playwright-core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { chromiumPath, withoutChromium } from "../e2e/support/chromium.ts";
import type { Served } from "./application.ts";
import { serveBodies } from "./bodies-application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

/** Event that a reader of a stream received. */
interface Received {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

interface StreamCase {
  readonly wpt: string;
  readonly name: string;
  readonly stream: string;
  readonly events: readonly Received[];
}

const { cases } = JSON.parse(
  readFileSync(new URL("../../conformance/event-streams.json", import.meta.url), "utf8"),
) as { cases: readonly StreamCase[] };

const columns: readonly (readonly [name: string, start: () => Promise<Served>])[] = isRust
  ? [["rust", () => startRust("rust-server", { bodyBytes: 1024 * 1024 })]]
  : servers.map(([name, make]) => [name, () => serveBodies(make())] as const);

/** Reads a stream in the page until the number of events has arrived, or without a number until the stream ends. */
async function readIn(page: Page, path: string, names: readonly string[], limit = 0): Promise<Received[]> {
  return (await page.evaluate(`new Promise((resolve) => {
    const source = new EventSource(${JSON.stringify(path)});
    const events = [];
    const end = () => { source.close(); resolve(events); };
    for (const name of ${JSON.stringify([...names])}) source.addEventListener(name, ({ type, data, lastEventId }) => {
      events.push({ event: type, data, id: lastEventId });
      if (events.length === ${limit}) end();
    });
    if (${limit} === 0) source.addEventListener("error", end);
  })`)) as Received[];
}

describe("EventSource of Chromium", { skip: withoutChromium }, () => {
  let browser: Browser;
  before(async () => {
    // No sandbox, because root cannot use it.
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
  });
  after(() => browser?.close());

  /** Opens an empty page of an origin without a request to its server. */
  async function pageOf(origin: string): Promise<Page> {
    const page = await browser.newPage();
    await page.route(`${origin}/page`, (route) => route.fulfill({ contentType: "text/html", body: "" }));
    await page.goto(`${origin}/page`);
    return page;
  }

  describe("cases of web-platform-tests", () => {
    let server: Server;
    let page: Page;
    before(async () => {
      server = createServer(({ url }, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(cases[Number(url!.slice(1))]!.stream);
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      page = await pageOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
    after(async () => {
      await page?.close();
      server?.close();
    });
    for (const [at, { wpt, name, events }] of cases.entries()) {
      test(`${wpt}: ${name}`, async () => {
        const names = new Set(["message", ...events.map(({ event }) => event)]);
        assert.deepEqual(await readIn(page, `/${at}`, [...names]), events);
      });
    }
  });

  for (const [name, start] of columns) {
    test(`${name}: Chromium reads all events, and reconnects with the last id after the time of the server`, async () => {
      await using app = await start();
      const sent: { text: string; at: number }[] = [];
      // Records the requests, because Playwright does not show all headers of `EventSource`.
      const recorder = createTcpServer((socket) => {
        const server = connect(app.port, "127.0.0.1");
        socket.on("data", (bytes) => {
          sent.push({ text: bytes.toString("latin1"), at: performance.now() });
          server.write(bytes);
        });
        server.on("data", (bytes) => socket.write(bytes));
        for (const one of [socket, server]) {
          const end = (): void => void [socket, server].map((each) => each.destroy());
          one.on("close", end).on("error", end);
        }
      });
      recorder.listen(0, "127.0.0.1");
      await once(recorder, "listening");
      const page = await pageOf(`http://127.0.0.1:${(recorder.address() as AddressInfo).port}`);
      const book = '{"title":"Book 3","pages":3,"printed":"2026-01-02T03:04:05.678Z"}';
      const events = (first: string): Received[] => [
        { event: "progress", data: '{"percent":50}', id: first },
        { event: "done", data: book, id: "7" },
        { event: "stopped", data: "null", id: "7" },
      ];
      const received = await readIn(page, "/events", ["message", "progress", "done", "stopped"], 6);
      await page.close();
      recorder.close();
      assert.deepEqual(received, [...events(""), ...events("7")]);
      assert.deepEqual(
        sent.map(({ text }) => /^last-event-id: (.*)$/im.exec(text)?.[1]?.trim()),
        [undefined, "7"],
      );
      assert.ok(sent[1]!.at - sent[0]!.at > 245, `${sent[1]!.at - sent[0]!.at} ms`);
    });
  }
});
