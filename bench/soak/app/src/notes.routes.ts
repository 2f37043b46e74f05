import type { RouteContract } from "@kit/types";
import type { CreateNoteInput, LargePage, Mark, Memory, Note } from "./notes.types.ts";

/** Notes, behind a middleware. */
export interface NoteRoutes {
  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;
  "POST /notes": RouteContract<void, void, CreateNoteInput, Note>;
}

/** Routes that stress the server, and a route that measures memory. */
export interface TroubleRoutes {
  "GET /slow/:ms": RouteContract<{ ms: number }, void, void, Mark>;
  "GET /stream": RouteContract<void, void, void, void>;
  "GET /large": RouteContract<void, void, void, LargePage>;
  /** @status 200 */
  "POST /marks": RouteContract<void, void, Mark, Mark>;
  "GET /memory": RouteContract<void, void, void, Memory>;
}
