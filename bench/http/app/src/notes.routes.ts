import type { RouteContract } from "@kit/types";
import type { Account, CreateNoteInput, Health, Note, StoredNoteParams } from "./notes.types.ts";

/** Route without work. */
export interface HealthRoutes {
  "GET /health": RouteContract<void, void, void, Health>;
}

/** Routes behind a middleware. */
export interface NoteRoutes {
  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;
  "POST /notes": RouteContract<void, void, CreateNoteInput, Note>;
}

/** Route to notes in PostgreSQL. */
export interface StoredNoteRoutes {
  "GET /stored-notes/:id": RouteContract<StoredNoteParams, void, void, Note>;
}

/** A route behind five middleware. */
export interface AccountRoutes {
  "GET /account": RouteContract<void, void, void, Account>;
}
