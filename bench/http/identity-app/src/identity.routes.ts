import type { RouteContract } from "@kit/types";

import type { Note } from "./identity.types.ts";

/** Route behind the middleware that is measured. */
export interface NoteRoutes {
  "GET /note": RouteContract<void, void, void, Note>;
}

/** Route that begins a session. */
export interface LoginRoutes {
  "POST /login": RouteContract<void, void, void, void>;
}
