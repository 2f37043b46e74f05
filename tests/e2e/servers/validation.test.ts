// Tests of invalid bodies: every rule of every field, and bodies that are not JSON. A refused request never changes a row.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Answer, Api } from "../support/api.ts";
import { assertError, assertInvalid } from "../support/errors.ts";
import { Project } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";
import type { NoteJson, PageJson } from "../support/wire.ts";

const JSON_TYPE = { "content-type": "application/json" };
const GOOD = { title: "Groceries", content: "Milk" };
const MIB = 1024 * 1024;

let project: Project;
let app: RunningApp;
let ada: Api;
let note: NoteJson;

before(async () => {
  project = await Project.ready();
  app = await project.start();
  ada = app.as("ada");
  note = (await ada.post<NoteJson>("/notes", GOOD)).body;
});
after(() => project?.remove());

/** Returns a valid body of the given length in bytes. */
function padded(length: number): string {
  return JSON.stringify(GOOD).padEnd(length);
}

/** Sends a body to both routes with a body. */
async function both(body: unknown, check: (answer: Answer<unknown>) => void): Promise<void> {
  check(await ada.post("/notes", body));
  check(await ada.put(`/notes/${note.id}`, body));
}

describe("fields", () => {
  /** Field, description of the error, and invalid values. */
  const wrong: [field: "title" | "content" | "archived", what: string, ...values: unknown[]][] = [
    ["title", "of the wrong type", null, 42, true, [], {}, ["a"], { length: 5 }],
    ["title", "too short", ""],
    ["title", "too long", "a".repeat(201), "🧑".repeat(201), "a".repeat(100_000)],
    ["title", "that no database keeps", "a\u0000b", "\u0000", "\ud800", "\udc00a", "a\udc00\ud800"],
    ["content", "of the wrong type", null, 0, false, [], {}],
    ["content", "too long", "a".repeat(10_001), "🧑".repeat(10_001)],
    ["content", "that no database keeps", "\u0000", "\udfff"],
    ["archived", "of the wrong type", null, "false", "", 0, 1, [], {}],
  ];
  for (const [field, what, ...values] of wrong) {
    test(`${field} ${what}`, async () => {
      for (const value of values) {
        await both({ ...GOOD, [field]: value }, (answer) => assertInvalid(answer, `$.${field}`));
      }
    });
  }

  test("counts characters, not UTF-16 units, and accepts the limits themselves", async () => {
    for (const [title, content] of [
      ["a", ""],
      ["a".repeat(200), "a".repeat(10_000)],
      ["🧑".repeat(200), "🧑".repeat(10_000)],
    ]) {
      const answer = await ada.post<NoteJson>("/notes", { title, content });
      assert.equal(answer.status, 201, answer.text.slice(0, 500));
      assert.equal(answer.body.title, title);
      assert.equal(answer.body.content, content);
    }
  });

  test("POST requires title and content, and names every missing field at once", async () => {
    assertInvalid(await ada.post("/notes", { content: "c" }), "$.title");
    assertInvalid(await ada.post("/notes", { title: "t" }), "$.content");
    assertInvalid(await ada.post("/notes", {}), "$.title", "$.content");
    assertInvalid(
      await ada.post("/notes", { title: "", content: 1, archived: "no" }),
      "$.title",
      "$.content",
      "$.archived",
    );
  });

  test("a failure names the expected and the received value", async () => {
    const error = assertInvalid(
      await ada.post("/notes", { title: "", archived: 1 }),
      "$.title",
      "$.content",
      "$.archived",
    );
    const [title, content, archived] = error.details?.fields ?? [];
    assert.match(title?.expected ?? "", /string.*1.*200/);
    assert.equal(title?.value, "");
    assert.deepEqual([title?.rule, title?.limit], ["minLength", 1]);
    assert.equal(content?.value, null);
    assert.equal(content?.rule, "required");
    assert.match(archived?.expected ?? "", /boolean/);
    assert.equal(archived?.value, 1);
    assert.deepEqual([archived?.rule, archived?.limit], ["type", "boolean"]);
  });

  test("an inherited name is not a field", async () => {
    assertInvalid(
      await ada.send("POST", "/notes", '{"__proto__":{"title":"t","content":"c"}}', JSON_TYPE),
      "$.title",
      "$.content",
    );
  });
});

describe("bodies", () => {
  test("refuses JSON that is not an object", async () => {
    for (const body of [null, 42, "text", true, [], [GOOD]]) {
      await both(body, (answer) => assertInvalid(answer, "$"));
    }
  });

  test("refuses text that is not JSON", async () => {
    const texts = [
      "{",
      "{title:1}",
      '{"title":"t",}',
      "{'title':'t'}",
      '{"title":"a\nb"}',
      "undefined",
      "NaN",
      "\ufeff{}",
      "{}{}",
      '"\\ud8"',
      "\u0000",
    ];
    for (const text of texts) {
      assertInvalid(await ada.send("POST", "/notes", text, JSON_TYPE), "$");
      assertInvalid(await ada.send("PUT", `/notes/${note.id}`, text, JSON_TYPE), "$");
    }
  });

  test("refuses bytes that are not UTF-8", async () => {
    const body = new Uint8Array([
      ...Buffer.from('{"title":"'),
      0xff,
      0xfe,
      ...Buffer.from('","content":"c"}'),
    ]);
    assertInvalid(await ada.send("POST", "/notes", body, JSON_TYPE), "$");
  });

  test("refuses a missing body", async () => {
    assertInvalid(await ada.send("POST", "/notes", undefined, JSON_TYPE), "$");
    assertInvalid(await ada.send("POST", "/notes", "", JSON_TYPE), "$");
    assertInvalid(await ada.send("POST", "/notes", " \n", JSON_TYPE), "$");
    assertInvalid(await ada.send("PUT", `/notes/${note.id}`, undefined, JSON_TYPE), "$");
  });

  test("responds with an error to nesting of any depth", async () => {
    for (const depth of [1000, 100_000, 500_000]) {
      const nested = "[".repeat(depth) + "]".repeat(depth);
      assertInvalid(await ada.send("POST", "/notes", nested, JSON_TYPE), "$");
      const answer = await ada.send(
        "POST",
        "/notes",
        `{"title":"t","content":"c","extra":${nested.slice(1, -1)}}`,
        JSON_TYPE,
      );
      assert.ok([201, 400].includes(answer.status), answer.text.slice(0, 300));
    }
    assert.equal((await ada.get("/notes")).status, 200);
  });

  test("responds with 415 to a content type that is not JSON", async () => {
    for (const type of [
      "text/plain",
      "text/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "application/xml",
      "json",
      "*/*",
    ]) {
      const answer = await ada.send("POST", "/notes", JSON.stringify(GOOD), { "content-type": type });
      assertError(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    }
    // With bytes, fetch sets no content type.
    assertError(
      await ada.send("POST", "/notes", new Uint8Array(Buffer.from(JSON.stringify(GOOD)))),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });

  test("responds with 415 to a charset that is not UTF-8", async () => {
    const type = "application/json; charset=iso-8859-1";
    assertError(
      await ada.send("POST", "/notes", JSON.stringify(GOOD), { "content-type": type }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });

  test("accepts other content types for JSON", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON;charset=UTF-8",
      'application/json; charset="utf-8"',
      "application/merge-patch+json",
    ]) {
      const answer = await ada.send("POST", "/notes", JSON.stringify(GOOD), { "content-type": type });
      assert.equal(answer.status, 201, `${type}: ${answer.text}`);
    }
  });

  test("refuses a compressed body", async () => {
    const body = new Uint8Array(gzipSync(JSON.stringify(GOOD)));
    const answer = await ada.send("POST", "/notes", body, { ...JSON_TYPE, "content-encoding": "gzip" });
    assert.ok([400, 415].includes(answer.status), answer.text);
  });

  test("responds with 413 to more than 1 MiB, and reads exactly 1 MiB", async () => {
    assert.equal((await ada.send("POST", "/notes", padded(MIB), JSON_TYPE)).status, 201);
    // The client can read the response even if the body is much too large.
    for (const length of [MIB + 1, 4 * MIB]) {
      assertError(await ada.send("POST", "/notes", padded(length), JSON_TYPE), 413, "PAYLOAD_TOO_LARGE");
    }
    assert.equal((await ada.get("/notes")).status, 200, "the server goes on");
  });
});

describe("a refused request has no effect", () => {
  let list: PageJson;
  beforeEach(async () => {
    list = (await ada.get<PageJson>("/notes?pageSize=100")).body;
  });

  test("writes and changes no row", async () => {
    const original = (await ada.get<NoteJson>(`/notes/${note.id}`)).body;
    await both({ ...GOOD, title: "" }, (answer) => assertInvalid(answer, "$.title"));
    await both({ ...GOOD, title: "new", archived: "yes" }, (answer) => assertInvalid(answer, "$.archived"));
    assert.deepEqual((await ada.get<PageJson>("/notes?pageSize=100")).body, list);
    assert.deepEqual((await ada.get<NoteJson>(`/notes/${note.id}`)).body, original);
  });
});
