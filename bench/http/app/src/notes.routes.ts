import type { RouteContract } from "@kit/types";
import type { CreateNoteInput, Health, Note } from "./notes.types.ts";

/** A route that does nothing. */
export interface HealthRoutes {
  "GET /health": RouteContract<void, void, void, Health>;
}

/** Routes behind a middleware. */
export interface NoteRoutes {
  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;
  "POST /notes": RouteContract<void, void, CreateNoteInput, Note>;
}
