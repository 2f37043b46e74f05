import type { RouteContract } from "@kit/types";
import type { PaginatedResponse, Paging } from "../notes/notes.types.ts";
import type { User } from "./types.ts";

export interface UserRoutes {
  "GET /users": RouteContract<void, Paging, void, PaginatedResponse<User>>;
  /** @throws USER_EMAIL_CONFLICT 409 */
  "POST /users": RouteContract<void, void, Omit<User, "id" | "createdAt" | "updatedAt">, User>;
}
