// Tests GET /notes: the order of notes, their total number, and the pages.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Api } from "../support/api.ts";
import { assertInvalid } from "../support/errors.ts";
import { Project } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";
import type { NoteJson, PageJson } from "../support/wire.ts";

let project: Project;
let app: RunningApp;
let ada: Api;

before(async () => {
  project = await Project.ready();
  app = await project.start();
  ada = app.as("ada");
});
after(() => project?.remove());

async function list(query = ""): Promise<PageJson> {
  const answer = await ada.get<PageJson>(`/notes${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

test("GET /notes responds with an empty list and zero pages if there are no notes", async () => {
  assert.deepEqual(await list(), {
    data: [],
    pagination: { total: 0, page: 1, pageSize: 20, totalPages: 0 },
  });
});

describe("GET /notes with 45 notes", () => {
  const titles = Array.from({ length: 45 }, (_, index) => `note ${index}`);

  before(async () => {
    for (const [index, title] of titles.entries()) {
      const api = index % 2 === 0 ? ada : app.as("bob");
      const answer = await api.post<NoteJson>("/notes", { title, content: "c", archived: index % 3 === 0 });
      assert.equal(answer.status, 201);
    }
  });

  test("returns page 1 by default, with 20 notes of all users, the newest first", async () => {
    const page = await list();
    assert.deepEqual(page.pagination, { total: 45, page: 1, pageSize: 20, totalPages: 3 });
    assert.deepEqual(
      page.data.map((note) => note.title),
      titles.toReversed().slice(0, 20),
    );
  });

  test("returns only id, title, archived and createdAt of each note", async () => {
    const [item] = (await list()).data;
    assert.deepEqual(Object.keys(item ?? {}), ["id", "title", "archived", "createdAt"]);
    const note = await ada.get<NoteJson>(`/notes/${item?.id}`);
    const { id, title, archived, createdAt } = note.body;
    assert.deepEqual(item, { id, title, archived, createdAt });
  });

  test("returns the whole list as pages, without gaps or repetitions", async () => {
    for (const pageSize of [1, 7, 20, 44, 45, 46, 100]) {
      const totalPages = Math.ceil(45 / pageSize);
      const listed: string[] = [];
      for (let page = 1; page <= totalPages; page += 1) {
        const answer = await list(`?page=${page}&pageSize=${pageSize}`);
        assert.deepEqual(answer.pagination, { total: 45, page, pageSize, totalPages });
        listed.push(...answer.data.map((note) => note.title));
      }
      assert.deepEqual(listed, titles.toReversed(), `pageSize ${pageSize}`);
    }
  });

  test("returns an empty page after the last page", async () => {
    for (const page of [4, 1000, Number.MAX_SAFE_INTEGER]) {
      const answer = await list(`?page=${page}&pageSize=20`);
      assert.deepEqual(answer, { data: [], pagination: { total: 45, page, pageSize: 20, totalPages: 3 } });
    }
  });

  test("returns smaller totals after a delete", async () => {
    const { data } = await list("?pageSize=1");
    assert.equal((await ada.delete(`/notes/${data[0]?.id}`)).status, 204);
    assert.deepEqual((await list("?pageSize=44")).pagination, {
      total: 44,
      page: 1,
      pageSize: 44,
      totalPages: 1,
    });
  });

  test("ignores unknown query parameters", async () => {
    assert.equal((await list("?pageSize=2&sort=title&__proto__=1&constructor=2")).data.length, 2);
  });
});

describe("GET /notes responds with 400", () => {
  const bad = [
    "0",
    "-1",
    "1.5",
    "abc",
    "",
    "NaN",
    "Infinity",
    "0x10",
    "%201",
    "1e400",
    "9007199254740993",
    "true",
    "1;2",
    "%E0%A4%A",
  ];
  for (const value of bad) {
    test(`to page=${value} and to pageSize=${value}`, async () => {
      assertInvalid(await ada.get(`/notes?page=${value}`), "$.page");
      assertInvalid(await ada.get(`/notes?pageSize=${value}`), "$.pageSize");
    });
  }

  test("to a page size above the maximum", async () => {
    assertInvalid(await ada.get("/notes?pageSize=101"), "$.pageSize");
  });

  test("if a query parameter occurs twice", async () => {
    assertInvalid(await ada.get("/notes?page=1&page=2"), "$.page");
  });

  test("to two invalid values, and the response names both", async () => {
    assertInvalid(await ada.get("/notes?page=0&pageSize=0"), "$.page", "$.pageSize");
  });
});
