// Runs every case of conformance/downloads.json on every server and through `app.fetch`. Then tests sources with a wrong number of
// bytes, and clients that disconnect.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";

import { createApp } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import type { Served } from "./application.ts";
import { downloadOptions, endlessBytes, type EndlessNotes, serveDownloads } from "./downloads-application.ts";
import { check, type EdgeCase, fetched, open, readConformance, send } from "./option-cases.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

const { cases } = readConformance<{ readonly cases: readonly EdgeCase[] }>("downloads.json");

notInRust("downloads on Node", "rust-downloads.test.ts has the cases of the Rust server");

/** Reads a response to its end. Returns what has arrived, and if the body was complete. */
async function received(
  port: number,
  headers: Readonly<Record<string, string>>,
): Promise<{ text: string; isWhole: boolean; length: string | undefined }> {
  const response = await open(port, { method: "GET", target: "/source", headers });
  const length = response.headers["content-length"];
  let text = "";
  try {
    for await (const chunk of response) text += String(chunk);
  } catch {
    return { text, isWhole: false, length };
  }
  return { text, isWhole: response.complete, length };
}

for (const [name, make] of servers) {
  describe(name, { concurrency: 8 }, () => {
    let app: Served;
    const notes: EndlessNotes = {
      chunks: 0,
      aborted: Promise.withResolvers(),
      returned: Promise.withResolvers(),
    };
    before(async () => {
      app = await serveDownloads(make(), notes);
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) test(one.name, async () => check(one, await send(app.port, one.request)));

    for (const [mode, range, length, text] of [
      ["short", undefined, "10", "012345678"],
      ["short", "bytes=2-5", "4", "234"],
      ["late", undefined, "10", "012"],
    ] as const) {
      test(`closes the connection if a source is too short: ${mode} ${range ?? "all bytes"}`, async () => {
        const headers = { "x-mode": mode, ...(range !== undefined && { range }) };
        const got = await received(app.port, headers);
        assert.equal(got.isWhole, false);
        assert.equal(got.length, length);
        assert.ok(text.startsWith(got.text), got.text);
      });
    }
    for (const range of [undefined, "bytes=2-5"]) {
      test(`sends no more bytes than asked for if a source is too long: ${range ?? "all bytes"}`, async () => {
        const headers = { "x-mode": "long", ...(range !== undefined && { range }) };
        const { text } = await received(app.port, headers);
        const expected = range === undefined ? "0123456789" : "2345";
        assert.ok(expected.startsWith(text), text);
      });
    }

    test("a client that disconnects ends the source, which is read no faster than the client receives", async () => {
      const response = await open(app.port, { method: "GET", target: "/endless", headers: {} });
      assert.equal(response.headers["content-length"], String(endlessBytes));
      await once(response, "readable");
      response.read(1000);
      // The buffers of the connection take some chunks; a server that reads on would need all memory.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const { chunks } = notes;
      assert.ok(chunks < 500, `${chunks} chunks`);
      response.destroy();
      await notes.returned.promise;
      await notes.aborted.promise;
    });
  });
}

describe("app.fetch", { skip: servers.length === 0 && "the Rust server has no such function" }, () => {
  const app = createApp(downloadOptions());
  after(() => app.close({ graceMs: 0 }));
  for (const one of cases)
    test(one.name, { skip: one.raw === true }, async () => check(one, await fetched(app, one.request)));
});
