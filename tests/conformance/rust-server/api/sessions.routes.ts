// The contracts of `tests/conformance/sessions.test.ts`. The handlers of the same routes on Node are in
// `packages/auth/test/support/session-application.ts`.

import type { Route, Scopes } from "@kit/types";

export interface SessionText {
  text: string;
}

interface ByUser {
  user: string;
}

export interface VisitorRoutes {
  "GET /sessions/me": Route<{ response: SessionText }>;
  "POST /sessions/login/:user": Route<{ params: ByUser; response: SessionText }>;
  "POST /sessions/rename": Route<{ response: SessionText }>;
  "POST /sessions/rotate": Route<{ response: SessionText }>;
  "POST /sessions/logout": Route<{ response: SessionText }>;
  "POST /sessions/everywhere/:user": Route<{ params: ByUser; response: SessionText }>;
  "POST /sessions/renewed-and-others/:user": Route<{ params: ByUser; response: SessionText }>;
  "POST /sessions/others/:user": Route<{ params: ByUser; response: SessionText }>;
}

export interface MemberRoutes {
  "GET /sessions/private": Route<{ response: SessionText }>;
  "GET /sessions/unread": Route<{ response: SessionText; auth: Scopes<"write"> }>;
}
