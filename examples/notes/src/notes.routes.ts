import type { RouteContract } from "@kit/types";
import type {
  CreateNoteInput,
  Note,
  NoteSummary,
  PaginatedResponse,
  Paging,
  UpdateNoteInput,
} from "./notes.types.ts";

/** Notes of users. Every user may read all notes. */
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
   * Every user may read every note.
   *
   * @summary Reads a note
   * @tag notes
   * @throws NOTE_NOT_FOUND 404 No note has this id.
   */
  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;

  /**
   * Omitted properties stay unchanged.
   *
   * @summary Changes a note
   * @tag notes
   * @throws NOTE_NOT_FOUND 404 No note has this id.
   */
  "PUT /notes/:id": RouteContract<{ id: string }, void, UpdateNoteInput, Note>;

  /**
   * The note is deleted permanently.
   *
   * @summary Deletes a note
   * @tag notes
   * @throws NOTE_NOT_FOUND 404 No note has this id.
   */
  "DELETE /notes/:id": RouteContract<{ id: string }, void, void, void>;
}
