import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import type { AuthContext } from "./auth.ts";
import { db } from "./database.ts";
import type { TodoRoutes } from "./todos.routes.ts";
import type { Todo } from "./todos.types.ts";

/** The columns of `todos` under the names of {@link Todo}. */
const COLUMNS = `id, title, completed, user_id AS "userId", created_at AS "createdAt", updated_at AS "updatedAt"`;

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
  "POST /todos": async ({ body, ctx }) => {
    const { rows } = await db.query<Todo>(
      `INSERT INTO todos (title, completed, user_id) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
      [body.title, body.completed, ctx.userId],
    );
    return rows[0]!;
  },

  "GET /todos": async ({ query, ctx }) => {
    const { page = 1, pageSize = 20 } = query;
    const [list, count] = await Promise.all([
      // The id decides between todos of the same moment, so that none is on two pages.
      db.query<Todo>(
        `SELECT ${COLUMNS} FROM todos WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
        [ctx.userId, pageSize, (page - 1) * pageSize],
      ),
      db.query<{ total: string }>("SELECT count(*) AS total FROM todos WHERE user_id = $1", [ctx.userId]),
    ]);
    const total = Number(count.rows[0]!.total);
    return {
      data: list.rows,
      pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) },
    };
  },

  "GET /todos/:id": async ({ params, ctx }) => {
    const { rows } = await db.query<Todo>(`SELECT ${COLUMNS} FROM todos WHERE id = $1 AND user_id = $2`, [
      known(params.id),
      ctx.userId,
    ]);
    const [todo] = rows;
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "PUT /todos/:id": async ({ params, body, ctx }) => {
    const { rows } = await db.query<Todo>(
      `UPDATE todos SET title = coalesce($3, title), completed = coalesce($4, completed), updated_at = now()
        WHERE id = $1 AND user_id = $2 RETURNING ${COLUMNS}`,
      [known(params.id), ctx.userId, body.title, body.completed],
    );
    const [todo] = rows;
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "DELETE /todos/:id": async ({ params, ctx }) => {
    const { rowCount } = await db.query("DELETE FROM todos WHERE id = $1 AND user_id = $2", [
      known(params.id),
      ctx.userId,
    ]);
    if (rowCount === 0) throw todoNotFound(params.id);
  },
});
