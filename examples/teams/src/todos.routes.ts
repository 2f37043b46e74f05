import type { RouteContract } from "@kit/types";
import type { PaginatedResponse, Paging } from "./shared.types.ts";
import type { CreateTodoInput, Todo, UpdateTodoInput } from "./todos.types.ts";

/** Which todos to list. */
export interface TodoFilter extends Paging {
  /** Only this user's. */
  userId?: Todo["userId"];
  /** Only those that are done, or only those that are not. */
  completed?: boolean;
}

/** What users have to do. */
export interface TodoRoutes {
  /**
   * It belongs to the user that the body names.
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
   * Whoever it belongs to.
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
