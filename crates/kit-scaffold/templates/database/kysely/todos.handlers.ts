import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import type { AuthContext } from "./auth.ts";
import { db } from "./database.ts";
import type { TodoRoutes } from "./todos.routes.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function todoNotFound(id: string): NotFoundError {
  return new NotFoundError("TODO_NOT_FOUND", "Todo not found", { id });
}

/** Text that is no UUID names no todo; PostgreSQL would call it an error. */
function known(id: string): string {
  if (!UUID.test(id)) throw todoNotFound(id);
  return id;
}

/** What the API does with todos. */
export const todoHandlers = defineHandlers<TodoRoutes, AuthContext>({
  "POST /todos": ({ body, ctx }) =>
    db
      .insertInto("todos")
      .values({ ...body, userId: ctx.userId })
      .returningAll()
      .executeTakeFirstOrThrow(),

  "GET /todos": async ({ query, ctx }) => {
    const { page = 1, pageSize = 20 } = query;
    const own = db.selectFrom("todos").where("userId", "=", ctx.userId);
    const [data, counted] = await Promise.all([
      own
        .selectAll()
        // The id decides between todos of the same moment, so that none is on two pages.
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
    const todo = await db
      .selectFrom("todos")
      .selectAll()
      .where("id", "=", known(params.id))
      .where("userId", "=", ctx.userId)
      .executeTakeFirst();
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "PUT /todos/:id": async ({ params, body, ctx }) => {
    const todo = await db
      .updateTable("todos")
      .set({ ...body, updatedAt: new Date() })
      .where("id", "=", known(params.id))
      .where("userId", "=", ctx.userId)
      .returningAll()
      .executeTakeFirst();
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "DELETE /todos/:id": async ({ params, ctx }) => {
    const deleted = await db
      .deleteFrom("todos")
      .where("id", "=", known(params.id))
      .where("userId", "=", ctx.userId)
      .returning("id")
      .executeTakeFirst();
    if (deleted === undefined) throw todoNotFound(params.id);
  },
});
