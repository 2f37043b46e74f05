import type { RouteContract } from "@kit/types";
import type { CreateTodoInput, Todo, UpdateTodoInput } from "./todos.types.ts";

/** Contracts of the todos API. */
export interface TodoRoutes {
  /**
   * @summary Adds a todo
   * @tag todos
   */
  "POST /todos": RouteContract<void, void, CreateTodoInput, Todo>;

  /**
   * Newest first.
   *
   * @summary Lists all todos
   * @tag todos
   */
  "GET /todos": RouteContract<void, void, void, Todo[]>;

  /**
   * @summary Reads a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 There is no such todo.
   */
  "GET /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, Todo>;

  /**
   * Omitted fields stay unchanged.
   *
   * @summary Changes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 There is no such todo.
   */
  "PUT /todos/:id": RouteContract<{ id: Todo["id"] }, void, UpdateTodoInput, Todo>;

  /**
   * The deletion is permanent.
   *
   * @summary Deletes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 There is no such todo.
   */
  "DELETE /todos/:id": RouteContract<{ id: Todo["id"] }, void, void, void>;
}
