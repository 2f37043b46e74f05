// The contracts of `tests/conformance/jwt.test.ts`.

import type { Route, Scopes } from "@kit/types";

export interface TokenCaller {
  subject: string;
  scopes: string[];
}

export interface TokenRoutes {
  "GET /token/caller": Route<{ response: TokenCaller }>;
  "GET /token/orders": Route<{ response: TokenCaller; auth: Scopes<"orders:write"> }>;
}
