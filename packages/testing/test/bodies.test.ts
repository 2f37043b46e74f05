// Tests of bodies that are not JSON: what contract tests send, what they check in responses, and what the test client sends.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import type { App } from "@kit/core";

import { contradictingType } from "../../core/src/bodies/file-signatures.ts";
import { createTestClient } from "../src/client.ts";
import { contentValues } from "../src/contracts/expect-content.ts";
import { contentOf } from "../src/contracts/contents.ts";
import type { TestedContent, TestedFormat } from "../src/contracts/tables.ts";
import type { TestResponse } from "../src/test-response.ts";

const multipart: TestedFormat = {
  kind: "multipart",
  types: ["multipart/form-data"],
  json: ["album"],
  files: [
    { name: "photo", types: ["image/*"], maxBytes: 5_000 },
    { name: "pages", many: true, minItems: 2, types: ["text/csv"] },
    { name: "note", optional: true },
  ],
};

test("a valid multipart body has all files that the contract requires, text fields and JSON fields", () => {
  const { body } = contentOf(multipart, { tags: ["a", "b"], album: { name: "x" }, taken: undefined });
  assert.ok(body instanceof FormData);
  const photo = body.get("photo") as File;
  assert.deepEqual([photo.type, photo.size > 0], ["image/png", true]);
  const pages = body.getAll("pages") as File[];
  assert.deepEqual(
    pages.map(({ type }) => type),
    ["text/csv", "text/csv"],
  );
  assert.deepEqual([...body.keys()].toSorted(), ["album", "pages", "pages", "photo", "tags", "tags"]);
  assert.equal(body.get("album"), '{"name":"x"}');
});

test("a valid file of each type that kit knows by its first bytes has these bytes", async () => {
  const types = ["png", "jpeg", "gif", "webp", "bmp", "avif"].map((name) => `image/${name}`);
  for (const type of [...types, "application/pdf", "video/webm"]) {
    const { body } = contentOf({ ...multipart, files: [{ name: "a", types: [type] }] }, {});
    const file = (body as FormData).get("a") as File;
    assert.equal(contradictingType(type, new Uint8Array(await file.arrayBuffer())), undefined, type);
  }
});

test("other formats have the content type of the contract and short contents", async () => {
  const formats: [TestedFormat, unknown, string | undefined, string][] = [
    [{ kind: "form", types: [] }, { a: 1, b: ["x", "y"] }, undefined, "a=1&b=x&b=y"],
    [{ kind: "lines", types: ["application/jsonl"] }, [{ a: 1 }, 2], "application/jsonl", '{"a":1}\n2\n'],
    [{ kind: "raw", types: ["application/json"] }, undefined, "application/json", "{}"],
    [{ kind: "raw", types: ["*/*"] }, undefined, "application/octet-stream", "text"],
    [{ kind: "text", types: ["text/csv", "text/plain"] }, "a,b", "text/csv", "a,b"],
    [{ kind: "bytes", types: ["audio/*"] }, new Uint8Array([0x61]), "audio/x-test", "a"],
  ];
  for (const [format, value, type, text] of formats) {
    const content = contentOf(format, value);
    assert.equal(content.type, type);
    assert.equal(await new Response(content.body!).text(), text);
  }
});

function answer(type: string, text: string): TestResponse {
  return { status: 200, headers: new Headers({ "content-type": type }), text, body: undefined };
}

test("responses must have the media type of the contract, lines of JSON and declared events", () => {
  const events: TestedContent = { kind: "events", type: "text/event-stream", events: { a: null } };
  const lines: TestedContent = { kind: "lines", type: "application/jsonl" };
  const cases: [TestedContent, TestResponse, RegExp | undefined][] = [
    [{ kind: "text", type: "text/csv" }, answer("text/csv; charset=utf-8", "a"), undefined],
    [{ kind: "text", type: "text/csv" }, answer("text/csv", "a"), /text\/csv; charset=utf-8/],
    [{ kind: "bytes", type: "image/png" }, answer("text/html", "a"), /text\/html, expected image\/png/],
    [lines, answer("application/jsonl", '{"a":1}\n2\n{"cut'), undefined],
    [lines, answer("application/jsonl", "1\nno\n"), /line 1 that is not JSON/],
    [events, answer("text/event-stream", ":\n\nid: 1\nevent: a\ndata: null\n\n"), undefined],
    [events, answer("text/event-stream", "retry: 2000\n\nid: 7\n\nevent: a\ndata: null\n\n"), undefined],
    [
      events,
      answer("text/event-stream", "data: 1\n\n"),
      /event message, which its contract does not declare/,
    ],
    [
      events,
      answer("text/event-stream", "event: b\ndata: 1\n\n"),
      /event b, which its contract does not declare/,
    ],
  ];
  for (const [content, received, expected] of cases) {
    const found = contentValues(content, received);
    if (expected === undefined) assert.ok(Array.isArray(found), String(found));
    else assert.match(String(found), expected);
  }
});

test("the test client sends forms and bytes unchanged, and ends a response that has no end after `readMs`", async () => {
  const server = createServer((request, response) => {
    response.setHeader("x-type", request.headers["content-type"] ?? "");
    if (request.url === "/endless") return void response.write("first");
    request.pipe(response);
  });
  const app = {
    listen: () =>
      new Promise((listening) => {
        server.listen(0, "127.0.0.1", () => listening({ port: (server.address() as AddressInfo).port }));
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const client = await createTestClient(app as unknown as App);
  const form = new FormData();
  form.append("a", new File(["text"], "a.txt"));
  const sent = await client.request("POST", "/", { body: form });
  assert.match(sent.headers.get("x-type") ?? "", /^multipart\/form-data; boundary=/);
  assert.match(sent.text, /filename="a.txt"/);
  const fields = await client.request("POST", "/", { body: new URLSearchParams({ a: "1 2" }) });
  assert.equal(fields.text, "a=1+2");
  const bytes = new Uint8Array([1, 255]);
  const raw = await client.request("POST", "/", { body: bytes, headers: { "Content-Type": "image/png" } });
  assert.deepEqual([raw.headers.get("x-type"), raw.bytes], ["image/png", bytes]);
  assert.equal((await client.request("POST", "/", { body: bytes })).text, '"Af8="');
  assert.equal((await client.request("GET", "/endless", { readMs: 50 })).text, "first");
  await client.close();
});
