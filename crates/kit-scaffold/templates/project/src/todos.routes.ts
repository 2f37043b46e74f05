import type { RouteContract } from "@kit/types";
import type { CreateTodoInput, PaginatedResponse, Paging, Todo, UpdateTodoInput } from "./todos.types.ts";

/** Contracts of the todos API. Users can access only their own todos. */
export interface TodoRoutes {
  /**
   * The todo belongs to the user of the access token.
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
   * Todos of other users are not found.
   *
   * @summary Reads a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 The user has no such todo.
   */
  "GET /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, Todo>;

  /**
   * Omitted fields stay unchanged.
   *
   * @summary Changes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 The user has no such todo.
   */
  "PUT /todos/:id": RouteContract<{ id: Todo["id"] }, void, UpdateTodoInput, Todo>;

  /**
   * The deletion is permanent.
   *
   * @summary Deletes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 The user has no such todo.
   */
  "DELETE /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, void>;
}
