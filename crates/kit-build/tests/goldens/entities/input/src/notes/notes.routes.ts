import type { RouteContract } from "@kit/types";
import type {
  CreateNoteInput,
  Note,
  NoteSummary,
  PaginatedResponse,
  Paging,
  UpdateNoteInput,
} from "./notes.types.ts";

export interface NoteRoutes {
  /** @summary Writes a note */
  "POST /": RouteContract<void, void, Omit<CreateNoteInput, "authorId">, Note>;
  "GET /": RouteContract<void, Paging, void, PaginatedResponse<NoteSummary>>;
  /** @throws NOTE_NOT_FOUND 404 There is no such note. */
  "GET /:id": RouteContract<{ id: string }, void, void, Note>;
  "PUT /:id": RouteContract<{ id: string }, void, UpdateNoteInput, Note>;
  "DELETE /notes/:id": RouteContract<{ id: string }, void, void, void>;
}
