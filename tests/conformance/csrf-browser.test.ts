// Tests the option `csrf` with the headers that Chromium really sends: forms and `fetch` of pages of the application, of
// another port of its host, and of another site.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { withoutChromium } from "../e2e/support/chromium.ts";
import { Pages, Recorder } from "./browser-pages.ts";
import { edgeColumns, type Served } from "./edge-columns.ts";

quietStdout();

describe("the option csrf, in Chromium", { skip: withoutChromium }, () => {
  let pages: Pages;
  before(async () => {
    pages = await Pages.start();
  });
  after(() => pages?.[Symbol.asyncDispose]());

  for (const [server, serve] of edgeColumns) {
    describe(server, () => {
      let app: Served;
      let listing: Served;
      let recorder: Recorder;
      let url: string;
      before(async () => {
        app = await serve({ csrf: true });
        listing = await serve({ csrf: { origins: [pages.origin("host")] } });
        recorder = await Recorder.start(app.port);
        url = `http://127.0.0.1:${recorder.port}`;
      });
      after(async () => {
        await recorder?.[Symbol.asyncDispose]();
        await listing?.[Symbol.asyncDispose]();
        await app?.[Symbol.asyncDispose]();
      });

      test("allows a form of a page of the same origin", async () => {
        const { status, text } = await pages.submitFromApplication(`${url}/notes`, `${url}/sized/20`);
        assert.deepEqual([status, text.length], [200, 20]);
      });

      for (const [kind, where] of [
        ["host", "another site"],
        ["port", "another port of the same host"],
      ] as const) {
        test(`responds with 403 to a form of a page of ${where}`, async () => {
          const { status, text } = await pages.submit(kind, `${url}/sized/20`);
          assert.equal(status, 403);
          assert.match(text, /"CROSS_SITE_REQUEST"/);
        });

        test(`responds with 403 to fetch without CORS of a page of ${where}`, async () => {
          recorder.take();
          const init = { method: "POST", mode: "no-cors", credentials: "include", body: "amount=1000" };
          const fetched = await pages.fetch(kind, `${url}/sized/20`, init);
          assert.equal(fetched?.type, "opaque");
          assert.deepEqual(recorder.take().statuses, [403]);
        });
      }

      test("responds with 403 to fetch without CORS of a sandboxed frame", async () => {
        recorder.take();
        await pages.fetch("null", `${url}/sized/20`, { method: "POST", mode: "no-cors", body: "a" });
        assert.deepEqual(recorder.take().statuses, [403]);
      });

      test("allows GET of a page of another site", async () => {
        recorder.take();
        await pages.fetch("host", `${url}/notes`, { mode: "no-cors", credentials: "include" });
        assert.deepEqual(recorder.take().statuses, [200]);
      });

      test("allows a form of a page of another site if its origin is listed", async () => {
        const { status } = await pages.submit("host", `http://127.0.0.1:${listing.port}/sized/20`);
        assert.equal(status, 200);
      });

      test("responds with 403 to a form of an origin that is not listed", async () => {
        const { status } = await pages.submit("port", `http://127.0.0.1:${listing.port}/sized/20`);
        assert.equal(status, 403);
      });
    });
  }
});
