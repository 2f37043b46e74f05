import type { RouteContract } from "@kit/types";
import type { PaginatedResponse, Paging } from "./shared.types.ts";
import type { CreateTodoInput, Todo, UpdateTodoInput } from "./todos.types.ts";

/** Filter of a list of todos. */
export interface TodoFilter extends Paging {
  /** Only todos of this user. */
  userId?: Todo["userId"];
  /** Only completed todos, or only open ones. */
  completed?: boolean;
}

/** Todos of users. */
export interface TodoRoutes {
  /**
   * The todo belongs to the user in the body.
   *
   * @summary Adds a todo
   * @tag todos
   * @throws USER_NOT_FOUND 404 No user has this id.
   */
  "POST /todos": RouteContract<void, void, CreateTodoInput, Todo>;

  /**
   * Newest first.
   *
   * @summary Lists todos, a page at a time
   * @tag todos
   */
  "GET /todos": RouteContract<void, TodoFilter, void, PaginatedResponse<Todo>>;

  /**
   * The todo may belong to any user.
   *
   * @summary Reads a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 No todo has this id.
   */
  "GET /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, Todo>;

  /**
   * Omitted properties stay unchanged.
   *
   * @summary Changes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 No todo has this id.
   */
  "PUT /todos/:id": RouteContract<{ id: Todo["id"] }, void, UpdateTodoInput, Todo>;

  /**
   * The todo is deleted permanently.
   *
   * @summary Deletes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 No todo has this id.
   */
  "DELETE /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, void>;
}
