import { defineHandlers, defineMiddleware } from "@kit/core";
import { NotFoundError, UnauthorizedError } from "@kit/errors";
import { findStored } from "./database.ts";
import type { HealthRoutes, NoteRoutes, StoredNoteRoutes } from "./notes.routes.ts";
import { create, find } from "./store.ts";

const scheme = "Bearer ";

/** Middleware that reads the user from the access token. The function is asynchronous, like the verification of a signature. */
export const requireAuth = defineMiddleware<{ userId: string }>(async ({ headers }) => {
  const header = headers["authorization"];
  if (header === undefined || !header.startsWith(scheme)) {
    throw new UnauthorizedError("UNAUTHORIZED", "Missing or invalid authorization header");
  }
  const [userId = ""] = header.slice(scheme.length).split(":");
  if (userId === "") throw new UnauthorizedError("INVALID_TOKEN", "The access token names no user");
  return { userId };
});

/** Handler that responds immediately. */
export const healthHandlers = defineHandlers<HealthRoutes>({
  "GET /health": () => ({ status: "ok" }),
});

/** Handlers that read and create notes. */
export const noteHandlers = defineHandlers<NoteRoutes, { userId: string }>({
  "GET /notes/:id": async ({ params }) => {
    const note = find(params.id);
    if (note === undefined) throw new NotFoundError("NOTE_NOT_FOUND", "Note not found");
    return note;
  },
  "POST /notes": async ({ body, ctx }) => create(body, ctx.userId),
});

/** Handlers that read notes from PostgreSQL. */
export const storedNoteHandlers = defineHandlers<StoredNoteRoutes, { userId: string }>({
  "GET /stored-notes/:id": async ({ params }) => {
    const note = await findStored(params.id);
    if (note === undefined) throw new NotFoundError("NOTE_NOT_FOUND", "Note not found");
    return note;
  },
});
