import assert from "node:assert/strict";
import { UNKNOWN_ID, type NoteJson, type PageJson } from "../../e2e/support/wire.ts";
import { errorOf } from "../read.ts";
import { notesApp } from "../projects.ts";
import { at, type Section } from "../statement.ts";

/** Creates a note, which a test then uses. */
async function aNote(body: object = { title: "t", content: "c" }): Promise<NoteJson> {
  const answer = await (await notesApp()).as("ada").post<NoteJson>("/notes", body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Asserts that the response is 404 NOTE_NOT_FOUND. */
const isUnknown = (method: string, body?: string) => async (): Promise<void> => {
  const api = (await notesApp()).with({
    authorization: "Bearer ada:user",
    "content-type": "application/json",
  });
  const answer = await api.send(method, `/notes/${UNKNOWN_ID}`, body);
  assert.equal(answer.status, 404);
  assert.equal(errorOf(answer.body)["code"], "NOTE_NOT_FOUND");
};

const paging = "tests/e2e/servers/paging.test.ts";

export const notesEndpoints: Section = {
  number: "4.2",
  title: "Notes",
  statements: [
    {
      title: "every endpoint of notes requires authorization",
      provenBy: at(
        "tests/e2e/servers/auth.test.ts",
        "every route responds with 401 UNAUTHORIZED > without the header authorization",
      ),
    },
    {
      title: "POST /notes responds with 201 and the note",
      test: async () => {
        const { createdAt, updatedAt, id, ...note } = await aNote();
        assert.deepEqual(note, { title: "t", content: "c", authorId: "ada", archived: false });
        assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        assert.equal(new Date(createdAt).toISOString(), createdAt);
        assert.equal(new Date(updatedAt).toISOString(), updatedAt);
      },
    },
    {
      title: "POST /notes requires title and content",
      provenBy: at(
        "tests/e2e/servers/validation.test.ts",
        "is required by POST if it is title or content, and the response names all missing properties",
      ),
    },
    {
      title: "archived is optional in POST /notes, and false by default",
      test: async () => {
        assert.equal((await aNote()).archived, false);
        assert.equal((await aNote({ title: "t", content: "c", archived: true })).archived, true);
      },
    },
    {
      title: "the author of a note is the user of the token, and authorId in the body is ignored",
      test: async () =>
        assert.equal((await aNote({ title: "t", content: "c", authorId: "eve" })).authorId, "ada"),
    },
    {
      title: "GET /notes returns one page of notes, its number and the number of all pages",
      test: async () => {
        await aNote();
        const { status, body } = await (await notesApp()).as("ada").get<PageJson>("/notes?page=1&pageSize=2");
        assert.equal(status, 200);
        assert.deepEqual(Object.keys(body), ["data", "pagination"]);
        const { total, ...rest } = body.pagination;
        assert.deepEqual(rest, { page: 1, pageSize: 2, totalPages: Math.ceil(total / 2) });
      },
    },
    {
      title: "page is 1 by default and pageSize 20, and the newest note is first",
      provenBy: at(paging, "returns page 1 by default, with 20 notes of all users, the newest first"),
    },
    {
      title: "the first note of a page is number (page - 1) * pageSize, counted from 0",
      provenBy: at(paging, "returns the whole list as pages, without gaps or repetitions"),
    },
    {
      title: "total counts all notes, and totalPages is total / pageSize, rounded up",
      provenBy: at(
        paging,
        "returns smaller totals after a delete",
        "GET /notes responds with an empty list and zero pages if there are no notes",
      ),
    },
    {
      title: "a note in the list has id, title, archived and createdAt and nothing else",
      test: async () => {
        await aNote();
        const { body } = await (await notesApp()).as("ada").get<PageJson>("/notes?pageSize=1");
        assert.deepEqual(Object.keys(body.data[0]!), ["id", "title", "archived", "createdAt"]);
      },
    },
    {
      title: "GET /notes/:id returns the note",
      test: async () => {
        const note = await aNote();
        const { status, body } = await (await notesApp()).as("bob").get(`/notes/${note.id}`);
        assert.equal(status, 200);
        assert.deepEqual(body, note);
      },
    },
    { title: "GET of an unknown id is 404 NOTE_NOT_FOUND", test: isUnknown("GET") },
    { title: "PUT of an unknown id is 404 NOTE_NOT_FOUND", test: isUnknown("PUT", '{"title":"t"}') },
    { title: "DELETE of an unknown id is 404 NOTE_NOT_FOUND", test: isUnknown("DELETE") },
    {
      title: "PUT /notes/:id changes the properties in the body and returns the note",
      test: async () => {
        const note = await aNote();
        const { status, body } = await (
          await notesApp()
        )
          .as("ada")
          .put<NoteJson>(`/notes/${note.id}`, { archived: true });
        assert.equal(status, 200);
        assert.deepEqual({ ...body, updatedAt: "" }, { ...note, archived: true, updatedAt: "" });
      },
    },
    {
      title: "PUT /notes/:id sets updatedAt to the current time",
      provenBy: at(
        "tests/e2e/servers/notes.test.ts",
        "updates updatedAt for a body without properties, and changes nothing else",
      ),
    },
    {
      title: "DELETE /notes/:id responds without a body and deletes the note",
      test: async () => {
        const note = await aNote();
        const ada = (await notesApp()).as("ada");
        const { status, text } = await ada.delete(`/notes/${note.id}`);
        assert.deepEqual([status, text], [204, ""]);
        assert.equal((await ada.get(`/notes/${note.id}`)).status, 404);
      },
    },
    {
      title: "a page or pageSize that is not a number or is out of range gets 400",
      provenBy: at(paging, "to page=${value} and to pageSize=${value}", "to a page size above the maximum"),
    },
  ],
};

const teams = "tests/e2e/servers/teams.test.ts";

export const otherEndpoints: Section = {
  number: "4.3",
  title: "Users and todos",
  statements: [
    {
      title: "users are added, read, changed and deleted",
      provenBy: at(teams, "are created, read, changed and deleted"),
    },
    {
      title: "users are listed by page and pageSize",
      provenBy: at(teams, "are listed by status, in pages"),
    },
    {
      title: "a second user with the same email address gets 409 USER_EMAIL_CONFLICT",
      provenBy: at(teams, "cannot have the email address of another user"),
    },
    {
      title: "todos have the same five operations as users",
      provenBy: at(
        teams,
        "belong to a user who exists, and are deleted with the user",
        "are listed by user and by completion",
      ),
    },
  ],
};
