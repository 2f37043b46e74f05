// Runs every case of conformance/downloads.json on the Rust server, below `/downloads`. Then tests sources with a wrong number of
// bytes, and clients that disconnect. The handlers are in rust-server/src/handlers/downloads.rs.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { check, type EdgeCase, open, readConformance, send } from "./option-cases.ts";
import { isRust, peakOf, type RustServed, startRust } from "./rust.ts";
import { makeStaticDirectory, type StaticFixture } from "./static-directory.ts";

const { cases, ...fixture } = readConformance<StaticFixture & { readonly cases: readonly EdgeCase[] }>(
  "downloads.json",
);
/** Maximum size of a request body, which no test reaches. */
const bodyBytes = 1024;
const noProc = process.platform !== "linux" && "this system has no /proc";

/**
 * Reads a response to its end. Returns the text that has arrived, and if the body was complete. A connection that closes before the
 * head of the response is a response without text.
 */
async function received(
  port: number,
  headers: Readonly<Record<string, string>>,
): Promise<{ text: string; isWhole: boolean }> {
  let text = "";
  try {
    const response = await open(port, { method: "GET", target: "/downloads/source", headers });
    for await (const chunk of response) text += String(chunk);
    return { text, isWhole: response.complete };
  } catch {
    return { text, isWhole: false };
  }
}

describe("downloads of a Rust server", { skip: !isRust && "set KIT_E2E_SERVER=rust", concurrency: 8 }, () => {
  let app: RustServed;
  before(async () => {
    const variables = { DOWNLOADS_ROOT: makeStaticDirectory(fixture), LOG_LEVEL: "fatal" };
    app = await startRust("rust-server", { bodyBytes }, "production", variables);
  });
  after(() => app[Symbol.asyncDispose]());

  for (const one of cases) {
    const request = { ...one.request, target: `/downloads${one.request.target}` };
    test(one.name, async () => check({ ...one, request }, await send(app.port, request)));
  }

  for (const [mode, range, text] of [
    ["short", undefined, "012345678"],
    ["short", "bytes=2-5", "234"],
    ["late", undefined, "012"],
  ] as const) {
    test(`closes the connection if a source is too short: ${mode} ${range ?? "all bytes"}`, async () => {
      const headers = { "x-mode": mode, ...(range !== undefined && { range }) };
      const got = await received(app.port, headers);
      assert.equal(got.isWhole, false);
      assert.ok(text.startsWith(got.text), got.text);
    });
  }
  for (const [range, expected] of [
    [undefined, "0123456789"],
    ["bytes=2-5", "2345"],
  ] as const) {
    test(`sends no more bytes than asked for if a source is too long: ${range ?? "all bytes"}`, async () => {
      const { text } = await received(app.port, { "x-mode": "long", ...(range !== undefined && { range }) });
      assert.ok(expected.startsWith(text), text);
    });
  }

  test(
    "a client that disconnects drops the source, which is read no faster than the client receives",
    {
      skip: noProc,
    },
    async () => {
      await using own = await startRust("rust-server", { bodyBytes });
      const earlier = peakOf(own);
      const response = await open(own.port, { method: "GET", target: "/downloads/endless", headers: {} });
      assert.equal(response.headers["content-length"], String(2 ** 40));
      await once(response, "readable");
      response.read(1000);
      await sleep(300);
      assert.ok(peakOf(own) - earlier < 16, "the server keeps what the client does not read");
      response.destroy();
      const last = performance.now() + 10_000;
      const ended = /the source is dropped after (\d+) chunks/;
      while (!ended.test(own.log!())) {
        assert.ok(performance.now() < last, "the source is not dropped");
        await sleep(5);
      }
      // The buffers of the connection take some chunks.
      const chunks = Number(ended.exec(own.log!())![1]);
      assert.ok(chunks < 500, `${chunks} chunks`);
    },
  );
});
