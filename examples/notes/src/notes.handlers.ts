import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { desc, eq } from "drizzle-orm";
import { notes } from "../.kit/schemas/notes.ts";
import type { AuthContext } from "./auth.ts";
import { dbOf } from "./database.ts";
import type { NoteRoutes } from "./notes.routes.ts";

/** Maximum length of {@link Note.authorId}. The id comes from the token, which no validator checks. */
const AUTHOR_ID_LENGTH = 100;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the condition that selects the note with the given id. An id that is not a UUID matches no note; PostgreSQL would report an
 * error.
 */
function byId(id: string) {
  if (!UUID.test(id)) throw noteNotFound(id);
  return eq(notes.id, id);
}

function noteNotFound(id: string): NotFoundError {
  return new NotFoundError("NOTE_NOT_FOUND", "Note not found", { id });
}

/** Handlers of the notes API. */
export const noteHandlers = defineHandlers<NoteRoutes, AuthContext>({
  "POST /notes": async ({ body, ctx }) => {
    if ([...ctx.userId].length > AUTHOR_ID_LENGTH) {
      ctx.fail(401, "INVALID_TOKEN", `A user id has at most ${AUTHOR_ID_LENGTH} characters`);
    }
    const [note] = await dbOf(ctx)
      .insert(notes)
      .values({ ...body, authorId: ctx.userId })
      .returning();
    return note!;
  },

  "GET /notes": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { page = 1, pageSize = 20 } = query;
    const [data, total] = await Promise.all([
      db
        .select({ id: notes.id, title: notes.title, archived: notes.archived, createdAt: notes.createdAt })
        .from(notes)
        // Sort notes with the same timestamp by id, so that no note is on two pages.
        .orderBy(desc(notes.createdAt), desc(notes.id))
        .limit(pageSize)
        .offset((page - 1) * pageSize),
      db.$count(notes),
    ]);
    return { data, pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) } };
  },

  "GET /notes/:id": async ({ params, ctx }) => {
    const [note] = await dbOf(ctx).select().from(notes).where(byId(params.id));
    if (note === undefined) throw noteNotFound(params.id);
    return note;
  },

  "PUT /notes/:id": async ({ params, body, ctx }) => {
    const [note] = await dbOf(ctx)
      .update(notes)
      // `updatedAt` is set here because a body without fields is an update too.
      .set({ ...body, updatedAt: new Date() })
      .where(byId(params.id))
      .returning();
    if (note === undefined) throw noteNotFound(params.id);
    return note;
  },

  "DELETE /notes/:id": async ({ params, ctx }) => {
    const deleted = await dbOf(ctx).delete(notes).where(byId(params.id)).returning({ id: notes.id });
    if (deleted.length === 0) throw noteNotFound(params.id);
  },
});
