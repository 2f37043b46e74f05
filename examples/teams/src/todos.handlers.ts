import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { db, violates } from "./database.ts";
import { pageOf, window } from "./paging.ts";
import type { TodoRoutes } from "./todos.routes.ts";
import { userNotFound } from "./users.handlers.ts";

function todoNotFound(id: string): NotFoundError {
  return new NotFoundError("TODO_NOT_FOUND", "Todo not found", { id });
}

/** What the API does with todos. */
export const todoHandlers = defineHandlers<TodoRoutes>({
  "POST /todos": async ({ body }) => {
    try {
      return await db.insertInto("todos").values(body).returningAll().executeTakeFirstOrThrow();
    } catch (error) {
      throw violates(error, "todos_user_id_users_id_fk") ? userNotFound(body.userId) : error;
    }
  },

  "GET /todos": async ({ query }) => {
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

  "GET /todos/:id": async ({ params: { id } }) => {
    const todo = await db.selectFrom("todos").selectAll().where("id", "=", id).executeTakeFirst();
    if (todo === undefined) throw todoNotFound(id);
    return todo;
  },

  "PUT /todos/:id": async ({ params: { id }, body }) => {
    const todo = await db
      .updateTable("todos")
      .set({ ...body, updatedAt: new Date() })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (todo === undefined) throw todoNotFound(id);
    return todo;
  },

  "DELETE /todos/:id": async ({ params: { id } }) => {
    const { numDeletedRows } = await db.deleteFrom("todos").where("id", "=", id).executeTakeFirst();
    if (numDeletedRows === 0n) throw todoNotFound(id);
  },
});
