import type { RouteContract } from "@kit/types";
import type { Token, Use, Visit } from "./keys.types.ts";

export interface VisitRoutes {
  "POST /visits": RouteContract<void, void, Omit<Visit, "id">, Visit>;
  "GET /visits": RouteContract<void, void, void, Visit[]>;
  "GET /visits/:id": RouteContract<{ id: Visit["id"] }, void, void, Visit>;
  "PUT /visits/:id": RouteContract<{ id: bigint }, void, Omit<Visit, "id">, Visit>;
  "DELETE /visits/:id": RouteContract<{ id: Visit["id"] }, void, void, void>;
}

export interface UseRoutes {
  "POST /uses": RouteContract<void, void, Omit<Use, "id">, Use>;
  "GET /uses": RouteContract<void, { tokenId?: string }, void, Use[]>;
}

/** The parameter has no rule of its own. */
export interface TokenRoutes {
  "POST /tokens": RouteContract<void, void, Omit<Token, "id">, Token>;
  "GET /tokens/:id": RouteContract<{ id: string }, void, void, Token>;
  "PUT /tokens/:id": RouteContract<{ id: string }, void, Omit<Token, "id">, Token>;
  "DELETE /tokens/:id": RouteContract<{ id: string }, void, void, void>;
}

/** The parameter has the rules of the column. */
export interface TypedRoutes {
  "GET /typed/tokens/:id": RouteContract<{ id: Token["id"] }, void, void, Token>;
  "PUT /typed/tokens/:id": RouteContract<{ id: Token["id"] }, void, Omit<Token, "id">, Token>;
  "DELETE /typed/tokens/:id": RouteContract<{ id: Token["id"] }, void, void, void>;
}
