import type { RouteContract } from "@kit/types";
import type {
  CreateNoteInput,
  Note,
  NoteSummary,
  PaginatedResponse,
  Paging,
  UpdateNoteInput,
} from "./notes.types.ts";

/** Notes: each is written by one user and read by all. */
export interface NoteRoutes {
  /**
   * The author is the user of the access token.
   *
   * @summary Writes a note
   * @tag notes
   * @throws UNAUTHORIZED 401 The access token is missing.
   * @throws INVALID_TOKEN 401 The access token names no user.
   */
  "POST /notes": RouteContract<void, void, Omit<CreateNoteInput, "authorId">, Note>;

  /**
   * Newest first.
   *
   * @summary Lists notes, a page at a time
   * @tag notes
   * @throws UNAUTHORIZED 401 The access token is missing.
   * @throws INVALID_TOKEN 401 The access token names no user.
   */
  "GET /notes": RouteContract<void, Paging, void, PaginatedResponse<NoteSummary>>;

  /**
   * @summary Reads a note
   * @tag notes
   * @throws NOTE_NOT_FOUND 404 There is no such note.
   * @throws UNAUTHORIZED 401 The access token is missing.
   * @throws INVALID_TOKEN 401 The access token names no user.
   */
  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;

  /**
   * Fields that are left out stay as they are.
   *
   * @summary Changes a note
   * @tag notes
   * @throws NOTE_NOT_FOUND 404 There is no such note.
   * @throws UNAUTHORIZED 401 The access token is missing.
   * @throws INVALID_TOKEN 401 The access token names no user.
   */
  "PUT /notes/:id": RouteContract<{ id: string }, void, UpdateNoteInput, Note>;

  /**
   * @summary Deletes a note
   * @tag notes
   * @throws NOTE_NOT_FOUND 404 There is no such note.
   * @throws UNAUTHORIZED 401 The access token is missing.
   * @throws INVALID_TOKEN 401 The access token names no user.
   */
  "DELETE /notes/:id": RouteContract<{ id: string }, void, void, void>;
}
