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
   * @throws USER_NOT_FOUND 404 There is no such user.
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
   * @throws TODO_NOT_FOUND 404 There is no such todo.
   */
  "GET /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, Todo>;

  /**
   * Fields that are left out stay as they are.
   *
   * @summary Changes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 There is no such todo.
   */
  "PUT /todos/:id": RouteContract<{ id: Todo["id"] }, void, UpdateTodoInput, Todo>;

  /**
   * It is gone for good, done or not.
   *
   * @summary Deletes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 There is no such todo.
   */
  "DELETE /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, void>;
}
