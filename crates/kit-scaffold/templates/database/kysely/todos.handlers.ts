import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import type { AuthContext } from "./auth.ts";
import { dbOf } from "./database.ts";
import type { TodoRoutes } from "./todos.routes.ts";

function todoNotFound(id: string): NotFoundError {
  return new NotFoundError("TODO_NOT_FOUND", "Todo not found", { id });
}

/** Handlers of the todos API. */
export const todoHandlers = defineHandlers<TodoRoutes, AuthContext>({
  "POST /todos": ({ body, ctx }) =>
    dbOf(ctx)
      .insertInto("todos")
      .values({ ...body, userId: ctx.userId })
      .returningAll()
      .executeTakeFirstOrThrow(),

  "GET /todos": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { page = 1, pageSize = 20 } = query;
    const own = db.selectFrom("todos").where("userId", "=", ctx.userId);
    const [data, counted] = await Promise.all([
      own
        .selectAll()
        // The id orders todos of the same time, so that no todo is on two pages.
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(pageSize)
        .offset((page - 1) * pageSize)
        .execute(),
      own.select((of) => of.fn.countAll<number | bigint>().as("total")).executeTakeFirstOrThrow(),
    ]);
    const total = Number(counted.total);
    return { data, pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) } };
  },

  "GET /todos/:id": async ({ params, ctx }) => {
    const todo = await dbOf(ctx)
      .selectFrom("todos")
      .selectAll()
      .where("id", "=", params.id)
      .where("userId", "=", ctx.userId)
      .executeTakeFirst();
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "PUT /todos/:id": async ({ params, body, ctx }) => {
    const todo = await dbOf(ctx)
      .updateTable("todos")
      .set({ ...body, updatedAt: new Date() })
      .where("id", "=", params.id)
      .where("userId", "=", ctx.userId)
      .returningAll()
      .executeTakeFirst();
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "DELETE /todos/:id": async ({ params, ctx }) => {
    const deleted = await dbOf(ctx)
      .deleteFrom("todos")
      .where("id", "=", params.id)
      .where("userId", "=", ctx.userId)
      .returning("id")
      .executeTakeFirst();
    if (deleted === undefined) throw todoNotFound(params.id);
  },
});
