import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { all, insert, select, update } from "../.kit/schemas/database.ts";
import { type TodoRow, todos } from "../.kit/schemas/todos.ts";
import type { AuthContext } from "./auth.ts";
import { dbOf } from "./database.ts";
import type { TodoRoutes } from "./todos.routes.ts";

function todoNotFound(id: string): NotFoundError {
  return new NotFoundError("TODO_NOT_FOUND", "Todo not found", { id });
}

/** Selects the user's todo with an id. */
function ownedBy(userId: string, id: string): Pick<TodoRow, "id" | "userId"> {
  return { id, userId };
}

/** Handlers of the todos API. */
export const todoHandlers = defineHandlers<TodoRoutes, AuthContext>({
  "POST /todos": async ({ body, ctx }) => {
    const { rows } = await dbOf(ctx).query<TodoRow>(insert(todos, { ...body, userId: ctx.userId }));
    return rows[0]!;
  },

  "GET /todos": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { page = 1, pageSize = 20 } = query;
    const { id, userId, createdAt } = todos.columns;
    const [list, count] = await Promise.all([
      // The id orders todos of the same time, so that no todo is on two pages.
      db.query<TodoRow>(
        `SELECT ${all(todos)} FROM ${todos.name} WHERE ${userId} = $1
          ORDER BY ${createdAt} DESC, ${id} DESC LIMIT $2 OFFSET $3`,
        [ctx.userId, pageSize, (page - 1) * pageSize],
      ),
      db.query<{ total: number | bigint }>(
        `SELECT count(*) AS total FROM ${todos.name} WHERE ${userId} = $1`,
        [ctx.userId],
      ),
    ]);
    const total = Number(count.rows[0]!.total);
    return {
      data: list.rows,
      pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) },
    };
  },

  "GET /todos/:id": async ({ params, ctx }) => {
    const { rows } = await dbOf(ctx).query<TodoRow>(select(todos, ownedBy(ctx.userId, params.id)));
    const [todo] = rows;
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "PUT /todos/:id": async ({ params, body, ctx }) => {
    const { rows } = await dbOf(ctx).query<TodoRow>(update(todos, ownedBy(ctx.userId, params.id), body));
    const [todo] = rows;
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "DELETE /todos/:id": async ({ params, ctx }) => {
    const own = ownedBy(ctx.userId, params.id);
    const { rowCount } = await dbOf(ctx).query(
      `DELETE FROM ${todos.name} WHERE ${todos.columns.id} = $1 AND ${todos.columns.userId} = $2`,
      [own.id, own.userId],
    );
    if (rowCount === 0) throw todoNotFound(params.id);
  },
});
