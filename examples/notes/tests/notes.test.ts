import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { assertMatches, createFactory, createIntegrationSuite } from "@kit/testing";
import type { Note } from "../src/notes.types.ts";

const suite = await createIntegrationSuite({
  app: () => import("../src/app.ts"),
  headers: { authorization: "Bearer ada:user" },
});
const notes = createFactory<Note>();

beforeEach(() => suite.reset());

test("notes are listed in pages, the newest first", async () => {
  // Each note is a minute newer than the previous one.
  const added = await suite.insertMany(notes, 5);
  const { body } = await suite.request("GET /notes", { query: { page: 2, pageSize: 2 } });
  assertMatches(body, "PaginatedResponseOfNoteSummary");
  assert.deepEqual(
    body.data.map(({ id }) => id),
    [added[2]?.id, added[1]?.id],
  );
  assert.deepEqual(body.pagination, { total: 5, page: 2, pageSize: 2, totalPages: 3 });
});

test("PUT keeps the fields that the body does not contain", async () => {
  const note = await suite.insert(notes);
  const { body } = await suite.request("PUT /notes/:id", {
    params: { id: note.id },
    body: { archived: true },
  });
  assertMatches(body, "Note");
  assert.deepEqual([body.title, body.content, body.archived], [note.title, note.content, true]);
});
