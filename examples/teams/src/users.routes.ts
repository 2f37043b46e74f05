import type { RouteContract } from "@kit/types";
import type { PaginatedResponse, Paging } from "./shared.types.ts";
import type { CreateUserInput, UpdateUserInput, User, UserStatus } from "./users.types.ts";

/** Filter of a list of users. */
export interface UserFilter extends Paging {
  /** Only users with this status. */
  status?: UserStatus;
}

/** Users. Each has a unique email address. */
export interface UserRoutes {
  /**
   * The email address must be unique.
   *
   * @summary Adds a user
   * @tag users
   * @throws USER_EMAIL_CONFLICT 409 Another user has this email address.
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
   * The response does not contain the user's todos and teams.
   *
   * @summary Reads a user
   * @tag users
   * @throws USER_NOT_FOUND 404 No user has this id.
   */
  "GET /users/:id": RouteContract<{ id: User["id"] }, void, void, User>;

  /**
   * Omitted properties stay unchanged.
   *
   * @summary Changes a user
   * @tag users
   * @throws USER_NOT_FOUND 404 No user has this id.
   * @throws USER_EMAIL_CONFLICT 409 Another user has this email address.
   */
  "PUT /users/:id": RouteContract<{ id: User["id"] }, void, UpdateUserInput, User>;

  /**
   * The user's todos and memberships are deleted, too.
   *
   * @summary Deletes a user
   * @tag users
   * @throws USER_NOT_FOUND 404 No user has this id.
   */
  "DELETE /users/:id": RouteContract<{ id: User["id"] }, void, void, void>;
}
