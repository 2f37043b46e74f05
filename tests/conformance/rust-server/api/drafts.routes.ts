// The contracts of `tests/conformance/scopes.test.ts`.

import type { Route, Scopes, Socket } from "@kit/types";
import type { ChatMessage } from "./sockets.routes.ts";

export interface Draft {
  title: string;
}

export interface DraftRoutes {
  "POST /drafts": Route<{ body: Draft; response: Draft; auth: Scopes<"drafts:write"> }>;
  "GET /drafts": Route<{
    response: Draft;
    auth: Scopes<"drafts:list" | "drafts:read"> | Scopes<"admin">;
  }>;
}

export interface WrappedDraftRoutes {
  "POST /wrapped/drafts": Route<{ body: Draft; response: Draft; auth: Scopes<"drafts:write"> }>;
  "POST /outer/drafts": Route<{ body: Draft; response: Draft; auth: Scopes<"drafts:write"> }>;
}

export interface DraftSocketRoutes {
  "WS /drafts/live": Route<{
    socket: Socket<{ in: ChatMessage; out: ChatMessage }>;
    auth: Scopes<"drafts:write">;
  }>;
}
