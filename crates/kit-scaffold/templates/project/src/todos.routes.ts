import type { RouteContract } from "@kit/types";
import type { CreateTodoInput, PaginatedResponse, Paging, Todo, UpdateTodoInput } from "./todos.types.ts";

/** Todos: everybody sees their own. */
export interface TodoRoutes {
  /**
   * It belongs to the user who asks.
   *
   * @summary Adds a todo
   * @tag todos
   */
  "POST /todos": RouteContract<void, void, CreateTodoInput, Todo>;

  /**
   * Newest first.
   *
   * @summary Lists todos, a page at a time
   * @tag todos
   */
  "GET /todos": RouteContract<void, Paging, void, PaginatedResponse<Todo>>;

  /**
   * Those of other users are not there.
   *
   * @summary Reads a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 The user has no such todo.
   */
  "GET /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, Todo>;

  /**
   * Fields that are left out stay as they are.
   *
   * @summary Changes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 The user has no such todo.
   */
  "PUT /todos/:id": RouteContract<{ id: Todo["id"] }, void, UpdateTodoInput, Todo>;

  /**
   * It is gone for good.
   *
   * @summary Deletes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 The user has no such todo.
   */
  "DELETE /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, void>;
}
