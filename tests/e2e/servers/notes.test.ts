// Tests each rule of the endpoints for notes.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Api } from "../support/api.ts";
import { assertError } from "../support/errors.ts";
import { Project } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";
import { UNKNOWN_ID, type NoteJson, type PageJson } from "../support/wire.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let project: Project;
let app: RunningApp;
let ada: Api;

before(async () => {
  project = await Project.ready();
  app = await project.start();
  ada = app.as("ada");
});
after(() => project?.remove());

async function write(fields: Partial<NoteJson> & { admin?: boolean } = {}): Promise<NoteJson> {
  const answer = await ada.post<NoteJson>("/notes", { title: "Groceries", content: "Milk", ...fields });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

describe("POST /notes", () => {
  test("responds with 201 and the note, whose properties are in the order of its type", async () => {
    const start = Date.now();
    const answer = await ada.post<NoteJson>("/notes", { title: "Groceries", content: "Milk" });
    assert.equal(answer.status, 201);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/json\b/);
    const note = answer.body;
    assert.deepEqual(Object.keys(note), [
      "id",
      "title",
      "content",
      "authorId",
      "archived",
      "createdAt",
      "updatedAt",
    ]);
    assert.match(note.id, UUID);
    assert.equal(note.title, "Groceries");
    assert.equal(note.content, "Milk");
    for (const time of [note.createdAt, note.updatedAt]) {
      assert.equal(new Date(time).toISOString(), time);
      assert.ok(Math.abs(Date.parse(time) - start) < 10_000, `${time} is not now`);
    }
  });

  test("sets archived to false if the body does not contain it", async () => {
    assert.equal((await write()).archived, false);
    assert.equal((await write({ archived: true })).archived, true);
  });

  test("sets the author to the user of the token, even if the body names another author", async () => {
    assert.equal((await write()).authorId, "ada");
    assert.equal((await write({ authorId: "eve" })).authorId, "ada");
  });

  test("drops properties that the contract does not declare", async () => {
    const id = "11111111-1111-4111-8111-111111111111";
    const note = await write({ id, createdAt: "2000-01-01T00:00:00.000Z", admin: true });
    assert.notEqual(note.id, id);
    assert.notEqual(note.createdAt, "2000-01-01T00:00:00.000Z");
    assert.ok(!("admin" in note));
    assertError(await ada.get(`/notes/${id}`), 404, "NOTE_NOT_FOUND");
  });

  test("treats the keys __proto__ and constructor like any other key", async () => {
    const answer = await ada.send<NoteJson>(
      "POST",
      "/notes",
      '{"title":"t","content":"c","__proto__":{"archived":true},"constructor":{"prototype":{"x":1}}}',
      { "content-type": "application/json" },
    );
    assert.equal(answer.status, 201);
    assert.equal(answer.body.archived, false);
  });

  test("stores strings without any change", async () => {
    for (const text of [
      '"quoted" \\ / \b\f\n\r\t',
      "żółć 漢字 🧑‍🚀",
      "\u2028\u2029\u007f",
      "'; DROP TABLE notes; --",
      "<b>&amp;</b>",
    ]) {
      const note = await write({ title: text, content: text });
      assert.equal(note.title, text);
      const read = await ada.get<NoteJson>(`/notes/${note.id}`);
      assert.deepEqual(read.body, note);
    }
  });
});

describe("GET /notes/:id", () => {
  test("responds with 200 and the note, to every user", async () => {
    const note = await write();
    for (const api of [ada, app.as("bob"), app.as("root", "admin")]) {
      const answer = await api.get<NoteJson>(`/notes/${note.id}`);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, note);
    }
  });

  for (const id of [
    UNKNOWN_ID,
    "abc",
    "1",
    "%20",
    "constructor",
    "../notes",
    "a".repeat(4000),
    "%F0%9F%92%A9",
  ]) {
    const path = `/notes/${id.replace("/", "%2F")}`;
    test(`GET, PUT and DELETE ${path.slice(0, 60)} respond with 404 NOTE_NOT_FOUND`, async () => {
      assertError(await ada.get(path), 404, "NOTE_NOT_FOUND");
      assertError(await ada.put(path, { title: "x" }), 404, "NOTE_NOT_FOUND");
      assertError(await ada.delete(path), 404, "NOTE_NOT_FOUND");
    });
  }
});

describe("PUT /notes/:id", () => {
  test("changes the properties in the body and updatedAt, and no others", async () => {
    const note = await write({ archived: true });
    const changes: Partial<NoteJson>[] = [{ title: "New" }, { content: "" }, { archived: false }];
    let last = note;
    for (const change of changes) {
      await new Promise((wake) => setTimeout(wake, 5));
      const answer = await ada.put<NoteJson>(`/notes/${note.id}`, change);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual({ ...answer.body, updatedAt: "" }, { ...last, ...change, updatedAt: "" });
      assert.ok(answer.body.updatedAt > last.updatedAt, "updatedAt is refreshed");
      last = answer.body;
    }
    assert.deepEqual((await ada.get<NoteJson>(`/notes/${note.id}`)).body, last);
  });

  test("updates updatedAt for a body without properties, and changes nothing else", async () => {
    const note = await write({ archived: true });
    await new Promise((wake) => setTimeout(wake, 5));
    const answer = await ada.put<NoteJson>(`/notes/${note.id}`, {});
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body, { ...note, updatedAt: answer.body.updatedAt });
    assert.ok(answer.body.updatedAt > note.updatedAt);
  });

  test("does not change the author, the id or the times", async () => {
    const note = await write();
    const answer = await ada.put<NoteJson>(`/notes/${note.id}`, {
      id: UNKNOWN_ID,
      authorId: "eve",
      createdAt: "2000-01-01T00:00:00.000Z",
      updatedAt: "2000-01-01T00:00:00.000Z",
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, { ...note, updatedAt: answer.body.updatedAt });
    assert.ok(answer.body.updatedAt >= note.updatedAt);
  });
});

describe("DELETE /notes/:id", () => {
  test("deletes the note, and responds with 204 without a body", async () => {
    const note = await write();
    const answer = await ada.delete(`/notes/${note.id}`);
    assert.equal(answer.status, 204);
    assert.equal(answer.text, "");
    assert.equal(answer.headers.get("content-length"), null);
    assert.equal(answer.headers.get("content-type"), null);
    assertError(await ada.get(`/notes/${note.id}`), 404, "NOTE_NOT_FOUND");
    assertError(await ada.delete(`/notes/${note.id}`), 404, "NOTE_NOT_FOUND");
  });

  test("deletes only that note", async () => {
    const [first, second] = [await write(), await write()];
    await ada.delete(`/notes/${first.id}`);
    assert.equal((await ada.get(`/notes/${second.id}`)).status, 200);
  });
});

describe("requests that are sent at the same time", () => {
  test("get their own responses", async () => {
    const titles = Array.from({ length: 200 }, (_, index) => `note ${index}`);
    const written = await Promise.all(titles.map((title) => write({ title })));
    assert.deepEqual(
      written.map((note) => note.title),
      titles,
    );
    assert.equal(new Set(written.map((note) => note.id)).size, titles.length);
    const page = await ada.get<PageJson>("/notes?pageSize=100");
    assert.equal(page.body.data.length, 100);
  });
});
