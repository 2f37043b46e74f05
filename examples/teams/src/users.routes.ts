import type { RouteContract } from "@kit/types";
import type { PaginatedResponse, Paging } from "./shared.types.ts";
import type { CreateUserInput, UpdateUserInput, User, UserStatus } from "./users.types.ts";

/** Filter of a list of users. */
export interface UserFilter extends Paging {
  /** Only users with this status. */
  status?: UserStatus;
}

/** People, each with an address of their own. */
export interface UserRoutes {
  /**
   * No two users have the same address.
   *
   * @summary Adds a user
   * @tag users
   * @throws USER_EMAIL_CONFLICT 409 Another user has this address.
   */
  "POST /users": RouteContract<void, void, CreateUserInput, User>;

  /**
   * Newest first.
   *
   * @summary Lists users, a page at a time
   * @tag users
   */
  "GET /users": RouteContract<void, UserFilter, void, PaginatedResponse<User>>;

  /**
   * Todos and teams are read by their own routes.
   *
   * @summary Reads a user
   * @tag users
   * @throws USER_NOT_FOUND 404 There is no such user.
   */
  "GET /users/:id": RouteContract<{ id: User["id"] }, void, void, User>;

  /**
   * Fields that are left out stay as they are.
   *
   * @summary Changes a user
   * @tag users
   * @throws USER_NOT_FOUND 404 There is no such user.
   * @throws USER_EMAIL_CONFLICT 409 Another user has this address.
   */
  "PUT /users/:id": RouteContract<{ id: User["id"] }, void, UpdateUserInput, User>;

  /**
   * The user's todos and memberships go too.
   *
   * @summary Deletes a user
   * @tag users
   * @throws USER_NOT_FOUND 404 There is no such user.
   */
  "DELETE /users/:id": RouteContract<{ id: User["id"] }, void, void, void>;
}
