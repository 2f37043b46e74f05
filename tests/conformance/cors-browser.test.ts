// Tests the option `cors` with a real browser: a page of another origin calls the application with `fetch`. The option
// `securityHeaders` is on, and must not prevent what `cors` allows.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";

import type { CorsOptions } from "@kit/core";
import { type Browser, chromium, type Page } from "playwright-core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { chromiumPath, withoutChromium } from "../e2e/support/chromium.ts";
import { edgeColumns, type Served } from "./edge-columns.ts";

quietStdout();

/** Result of `fetch` in the page: the status and a readable header of the response; `null` if the browser blocks it. */
type Fetched = { readonly status: number; readonly total: string | null } | null;

/** Case of `fetch` in the page. */
interface FetchCase {
  readonly name: string;
  readonly target: string;
  readonly init?: Readonly<Record<string, unknown>>;
  /** Status that the page reads; `null` if the browser must block the response. */
  readonly status: number | null;
}

const json = { "content-type": "application/json" };
const body = JSON.stringify({ text: "a" });

/** Cases for an application that lists the origin of the page and allows credentials. */
const listed: readonly FetchCase[] = [
  { name: "a simple request", target: "/notes", status: 200 },
  { name: "a request with credentials", target: "/notes", init: { credentials: "include" }, status: 200 },
  {
    name: "a request with JSON, after a preflight request",
    target: "/notes",
    init: { method: "POST", headers: json, body },
    status: 201,
  },
  {
    name: "a request with credentials and own headers, after a preflight request",
    target: "/notes",
    init: {
      method: "POST",
      headers: { ...json, "x-tenant": "t", authorization: "Bearer a" },
      body,
      credentials: "include",
    },
    status: 201,
  },
  { name: "404", target: "/nothing", init: { headers: { "x-tenant": "t" } }, status: 404 },
  {
    name: "400 of the validation",
    target: "/notes",
    init: { method: "POST", headers: json, body: "{}" },
    status: 400,
  },
  { name: "an error of a handler", target: "/fail", status: 409 },
  { name: "a bug of a handler", target: "/bug", status: 500 },
  // The browser sends this request only if the response to the preflight request lists the method.
  {
    name: "a method that no route of the path has",
    target: "/notes",
    init: { method: "DELETE" },
    status: null,
  },
];

/** Cases for an application that lists another origin. */
const other: readonly FetchCase[] = [
  { name: "a simple request", target: "/notes", status: null },
  {
    name: "a request that needs a preflight request",
    target: "/notes",
    init: { method: "POST", headers: json, body },
    status: null,
  },
];

/** Cases for an application that allows every origin. */
const any: readonly FetchCase[] = [
  { name: "a simple request", target: "/notes", status: 200 },
  {
    name: "a request with JSON",
    target: "/notes",
    init: { method: "POST", headers: json, body },
    status: 201,
  },
  { name: "a request with credentials", target: "/notes", init: { credentials: "include" }, status: null },
];

describe("pages of another origin, in Chromium", { skip: withoutChromium }, () => {
  let browser: Browser;
  let pages: Server;
  let page: Page;
  let origin: string;

  before(async () => {
    pages = createServer((_request, response) => response.end("<!doctype html><title>page</title>"));
    pages.listen(0, "127.0.0.1");
    await once(pages, "listening");
    origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
    // No sandbox, because root cannot use it.
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
    page = await browser.newPage();
    await page.goto(origin.replace("localhost", "127.0.0.1"));
    origin = new URL(page.url()).origin;
  });
  after(async () => {
    await browser?.close();
    pages?.close();
  });

  const groups: readonly (readonly [name: string, cors: () => CorsOptions, cases: readonly FetchCase[]])[] = [
    [
      "the origin is listed",
      () => ({ origins: [origin], credentials: true, exposedHeaders: ["x-total"] }),
      listed,
    ],
    ["another origin is listed", () => ({ origins: ["https://app.example.com"] }), other],
    ["every origin is allowed", () => ({ origins: "*" }), any],
  ];

  for (const [server, serve] of edgeColumns) {
    for (const [situation, cors, cases] of groups) {
      describe(`${server}, ${situation}`, () => {
        let app: Served;
        before(async () => {
          app = await serve({ cors: cors(), securityHeaders: true });
        });
        after(() => app?.[Symbol.asyncDispose]());
        for (const { name, target, init = {}, status } of cases) {
          test(name, async () => {
            const url = `http://127.0.0.1:${app.port}${target}`;
            const fetched = (await page.evaluate(
              `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(
                (response) => ({ status: response.status, total: response.headers.get("x-total") }),
                () => null,
              )`,
            )) as Fetched;
            assert.equal(fetched?.status ?? null, status);
            if (
              status !== null &&
              target === "/notes" &&
              situation === "the origin is listed" &&
              status === 200
            ) {
              assert.equal(fetched?.total, "1", "the page cannot read an exposed header");
            }
          });
        }
      });
    }
  }
});
