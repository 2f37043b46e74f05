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
   */
  "POST /notes": RouteContract<void, void, Omit<CreateNoteInput, "authorId">, Note>;

  /**
   * Newest first.
   *
   * @summary Lists notes, a page at a time
   * @tag notes
   */
  "GET /notes": RouteContract<void, Paging, void, PaginatedResponse<NoteSummary>>;

  /**
   * Every user may read it.
   *
   * @summary Reads a note
   * @tag notes
   * @throws NOTE_NOT_FOUND 404 There is no such note.
   */
  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;

  /**
   * Fields that are left out stay as they are.
   *
   * @summary Changes a note
   * @tag notes
   * @throws NOTE_NOT_FOUND 404 There is no such note.
   */
  "PUT /notes/:id": RouteContract<{ id: string }, void, UpdateNoteInput, Note>;

  /**
   * It is gone for good.
   *
   * @summary Deletes a note
   * @tag notes
   * @throws NOTE_NOT_FOUND 404 There is no such note.
   */
  "DELETE /notes/:id": RouteContract<{ id: string }, void, void, void>;
}
