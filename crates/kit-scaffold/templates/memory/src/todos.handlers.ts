import { randomUUID } from "node:crypto";
import { defineHandlers, type RequestContext } from "@kit/core";
import type { TodoRoutes } from "./todos.routes.ts";
import type { Todo } from "./todos.types.ts";

/** Todos by their ids. They are lost when the process ends: replace the map by your database. */
const todos = new Map<string, Todo>();

/** Returns the todo with an id. Responds with 404 if there is none. */
function existing(id: string, ctx: RequestContext): Todo {
  return todos.get(id) ?? ctx.fail(404, "TODO_NOT_FOUND", `There is no todo ${id}`);
}

/** Handlers of the todos API. */
export const todoHandlers = defineHandlers<TodoRoutes>({
  "POST /todos": ({ body }) => {
    const todo = { ...body, id: randomUUID(), createdAt: new Date() };
    todos.set(todo.id, todo);
    return todo;
  },

  "GET /todos": () => [...todos.values()].toReversed(),

  "GET /todos/:id": ({ params, ctx }) => existing(params.id, ctx),

  "PUT /todos/:id": ({ params, body, ctx }) => {
    const todo = { ...existing(params.id, ctx), ...body };
    todos.set(todo.id, todo);
    return todo;
  },

  "DELETE /todos/:id": ({ params, ctx }) => {
    todos.delete(existing(params.id, ctx).id);
  },
});
