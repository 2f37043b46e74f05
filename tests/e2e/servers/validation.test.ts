// Tests invalid bodies: every rule of every property, and bodies that are not JSON. A refused request must not change any
// row.

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

/** Returns a valid body that has this length in bytes. */
function padded(length: number): string {
  return JSON.stringify(GOOD).padEnd(length);
}

/** Sends a body to POST and to PUT, and checks both responses. */
async function both(body: unknown, check: (answer: Answer<unknown>) => void): Promise<void> {
  check(await ada.post("/notes", body));
  check(await ada.put(`/notes/${note.id}`, body));
}

describe("a property of the body", () => {
  /** Property, description of its invalid values, and these values. */
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
    test(`is refused: ${field} ${what}`, async () => {
      for (const value of values) {
        await both({ ...GOOD, [field]: value }, (answer) => assertInvalid(answer, `$.${field}`));
      }
    });
  }

  test("is measured in characters and not in UTF-16 code units, and may be as long as the limit", async () => {
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

  test("is required by POST if it is title or content, and the response names all missing properties", async () => {
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

  test("is reported with the expected and the received value if it is invalid", async () => {
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

  test("counts as missing if the object only inherits it", async () => {
    assertInvalid(
      await ada.send("POST", "/notes", '{"__proto__":{"title":"t","content":"c"}}', JSON_TYPE),
      "$.title",
      "$.content",
    );
  });
});

describe("the body of a request", () => {
  test("is refused if it is JSON but not an object", async () => {
    for (const body of [null, 42, "text", true, [], [GOOD]]) {
      await both(body, (answer) => assertInvalid(answer, "$"));
    }
  });

  test("is refused if it is not JSON", async () => {
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

  test("is refused if it is not UTF-8", async () => {
    const body = new Uint8Array([
      ...Buffer.from('{"title":"'),
      0xff,
      0xfe,
      ...Buffer.from('","content":"c"}'),
    ]);
    assertInvalid(await ada.send("POST", "/notes", body, JSON_TYPE), "$");
  });

  test("is refused if it is missing", async () => {
    assertInvalid(await ada.send("POST", "/notes", undefined, JSON_TYPE), "$");
    assertInvalid(await ada.send("POST", "/notes", "", JSON_TYPE), "$");
    assertInvalid(await ada.send("POST", "/notes", " \n", JSON_TYPE), "$");
    assertInvalid(await ada.send("PUT", `/notes/${note.id}`, undefined, JSON_TYPE), "$");
  });

  test("gets an error response, no matter how deeply it is nested", async () => {
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

  test("gets 415 if its content type is not JSON", async () => {
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
    // fetch sets no content type for bytes.
    assertError(
      await ada.send("POST", "/notes", new Uint8Array(Buffer.from(JSON.stringify(GOOD)))),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });

  test("gets 415 if its charset is not UTF-8", async () => {
    const type = "application/json; charset=iso-8859-1";
    assertError(
      await ada.send("POST", "/notes", JSON.stringify(GOOD), { "content-type": type }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });

  test("may have any content type that means JSON", async () => {
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

  test("is refused if it is compressed", async () => {
    const body = new Uint8Array(gzipSync(JSON.stringify(GOOD)));
    const answer = await ada.send("POST", "/notes", body, { ...JSON_TYPE, "content-encoding": "gzip" });
    assert.ok([400, 415].includes(answer.status), answer.text);
  });

  test("gets 413 if it is longer than 1 MiB, and is read if it has exactly 1 MiB", async () => {
    assert.equal((await ada.send("POST", "/notes", padded(MIB), JSON_TYPE)).status, 201);
    // The client must be able to read the response, even if the body is much too large.
    for (const length of [MIB + 1, 4 * MIB]) {
      assertError(await ada.send("POST", "/notes", padded(length), JSON_TYPE), 413, "PAYLOAD_TOO_LARGE");
    }
    assert.equal((await ada.get("/notes")).status, 200, "the server goes on");
  });
});

describe("a request that is refused", () => {
  let list: PageJson;
  beforeEach(async () => {
    list = (await ada.get<PageJson>("/notes?pageSize=100")).body;
  });

  test("creates and changes no row", async () => {
    const original = (await ada.get<NoteJson>(`/notes/${note.id}`)).body;
    await both({ ...GOOD, title: "" }, (answer) => assertInvalid(answer, "$.title"));
    await both({ ...GOOD, title: "new", archived: "yes" }, (answer) => assertInvalid(answer, "$.archived"));
    assert.deepEqual((await ada.get<PageJson>("/notes?pageSize=100")).body, list);
    assert.deepEqual((await ada.get<NoteJson>(`/notes/${note.id}`)).body, original);
  });
});
