// The contracts of `tests/conformance/api-keys.test.ts`.

import type { Route, Scopes } from "@kit/types";
import type { TokenCaller } from "./tokens.routes.ts";

export interface IssuedKey {
  key: string;
  id: string;
  hash: string;
}

export interface KeyRoutes {
  "POST /keys": Route<{ response: IssuedKey }>;
}

export interface KeyOwnerRoutes {
  "GET /keys/caller": Route<{ response: TokenCaller }>;
  "GET /keys/orders": Route<{ response: TokenCaller; auth: Scopes<"orders:write"> }>;
}
