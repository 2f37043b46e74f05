import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { todosOnInsert } from "../.kit/schemas/todos.ts";
import { dbOf, violates } from "./database.ts";
import { pageOf, window } from "./paging.ts";
import type { TodoRoutes } from "./todos.routes.ts";
import { userNotFound } from "./users.handlers.ts";

function todoNotFound(id: string): NotFoundError {
  return new NotFoundError("TODO_NOT_FOUND", "Todo not found", { id });
}

/** Handlers of the todos API. */
export const todoHandlers = defineHandlers<TodoRoutes>({
  "POST /todos": async ({ body, ctx }) => {
    try {
      return await dbOf(ctx)
        .insertInto("todos")
        .values({ ...body, ...todosOnInsert() })
        .returningAll()
        .executeTakeFirstOrThrow();
    } catch (error) {
      throw violates(error, "todos_user_id_users_id_fk") ? userNotFound(body.userId) : error;
    }
  },

  "GET /todos": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { limit, offset } = window(query);
    let todos = db.selectFrom("todos");
    if (query.userId !== undefined) todos = todos.where("userId", "=", query.userId);
    if (query.completed !== undefined) todos = todos.where("completed", "=", query.completed);
    const [data, { total }] = await Promise.all([
      todos
        .selectAll()
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .offset(offset)
        .execute(),
      todos.select(({ fn }) => fn.countAll<number | bigint>().as("total")).executeTakeFirstOrThrow(),
    ]);
    return pageOf(data, total, query);
  },

  "GET /todos/:id": async ({ params: { id }, ctx }) => {
    const todo = await dbOf(ctx).selectFrom("todos").selectAll().where("id", "=", id).executeTakeFirst();
    if (todo === undefined) throw todoNotFound(id);
    return todo;
  },

  "PUT /todos/:id": async ({ params: { id }, body, ctx }) => {
    const todo = await dbOf(ctx)
      .updateTable("todos")
      .set({ ...body, updatedAt: new Date() })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (todo === undefined) throw todoNotFound(id);
    return todo;
  },

  "DELETE /todos/:id": async ({ params: { id }, ctx }) => {
    const { numDeletedRows } = await dbOf(ctx).deleteFrom("todos").where("id", "=", id).executeTakeFirst();
    if (numDeletedRows === 0n) throw todoNotFound(id);
  },
});
