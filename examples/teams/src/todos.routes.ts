import type { Route, Scopes } from "@kit/types";
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
  "POST /todos": Route<{ body: CreateTodoInput; response: Todo; auth: Scopes<"todos:write"> }>;

  /**
   * Newest first.
   *
   * @summary Lists todos, a page at a time
   * @tag todos
   */
  "GET /todos": Route<{ query: TodoFilter; response: PaginatedResponse<Todo> }>;

  /**
   * The todo may belong to any user.
   *
   * @summary Reads a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 No todo has this id.
   */
  "GET /todos/:id": Route<{ params: { id: Todo["id"] }; response: Todo }>;

  /**
   * Omitted properties stay unchanged.
   *
   * @summary Changes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 No todo has this id.
   */
  "PUT /todos/:id": Route<{
    params: { id: Todo["id"] };
    body: UpdateTodoInput;
    response: Todo;
    auth: Scopes<"todos:write">;
  }>;

  /**
   * The todo is deleted permanently.
   *
   * @summary Deletes a todo
   * @tag todos
   * @throws TODO_NOT_FOUND 404 No todo has this id.
   */
  "DELETE /todos/:id": Route<{ params: { id: Todo["id"] }; auth: Scopes<"todos:write"> }>;
}
