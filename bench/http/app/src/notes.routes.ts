import type { RouteContract } from "@kit/types";
import type { Account, CreateNoteInput, Health, Note, StoredNoteParams } from "./notes.types.ts";

/** Route whose handler does no work. */
export interface HealthRoutes {
  "GET /health": RouteContract<void, void, void, Health>;
}

/** Routes behind one middleware function. */
export interface NoteRoutes {
  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;
  "POST /notes": RouteContract<void, void, CreateNoteInput, Note>;
}

/** Route that reads a note from PostgreSQL. */
export interface StoredNoteRoutes {
  "GET /stored-notes/:id": RouteContract<StoredNoteParams, void, void, Note>;
}

/** Route behind five middleware functions. */
export interface AccountRoutes {
  "GET /account": RouteContract<void, void, void, Account>;
}
