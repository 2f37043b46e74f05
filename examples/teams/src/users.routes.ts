import type { Route, Scopes } from "@kit/types";
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
  "POST /users": Route<{ body: CreateUserInput; response: User; auth: Scopes<"users:write"> }>;

  /**
   * Newest first.
   *
   * @summary Lists users, a page at a time
   * @tag users
   */
  "GET /users": Route<{ query: UserFilter; response: PaginatedResponse<User> }>;

  /**
   * The response does not contain the user's todos and teams.
   *
   * @summary Reads a user
   * @tag users
   * @throws USER_NOT_FOUND 404 No user has this id.
   */
  "GET /users/:id": Route<{ params: { id: User["id"] }; response: User }>;

  /**
   * Omitted properties stay unchanged.
   *
   * @summary Changes a user
   * @tag users
   * @throws USER_NOT_FOUND 404 No user has this id.
   * @throws USER_EMAIL_CONFLICT 409 Another user has this email address.
   */
  "PUT /users/:id": Route<{
    params: { id: User["id"] };
    body: UpdateUserInput;
    response: User;
    auth: Scopes<"users:write">;
  }>;

  /**
   * The user's todos and memberships are deleted, too.
   *
   * @summary Deletes a user
   * @tag users
   * @throws USER_NOT_FOUND 404 No user has this id.
   */
  "DELETE /users/:id": Route<{ params: { id: User["id"] }; auth: Scopes<"users:write"> }>;
}
