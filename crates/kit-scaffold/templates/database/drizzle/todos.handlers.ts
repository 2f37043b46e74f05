import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { and, desc, eq } from "drizzle-orm";
import { todos } from "../.kit/schemas/todos.ts";
import type { AuthContext } from "./auth.ts";
import { dbOf } from "./database.ts";
import type { TodoRoutes } from "./todos.routes.ts";

function todoNotFound(id: string): NotFoundError {
  return new NotFoundError("TODO_NOT_FOUND", "Todo not found", { id });
}

/** Selects the user's todo with an id. */
function ownedBy(userId: string, id: string) {
  return and(eq(todos.id, id), eq(todos.userId, userId));
}

/** Handlers of the todos API. */
export const todoHandlers = defineHandlers<TodoRoutes, AuthContext>({
  "POST /todos": async ({ body, ctx }) => {
    const [todo] = await dbOf(ctx)
      .insert(todos)
      .values({ ...body, userId: ctx.userId })
      .returning();
    return todo!;
  },

  "GET /todos": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { page = 1, pageSize = 20 } = query;
    const own = eq(todos.userId, ctx.userId);
    const [data, total] = await Promise.all([
      db
        .select()
        .from(todos)
        .where(own)
        // The id orders todos of the same time, so that no todo is on two pages.
        .orderBy(desc(todos.createdAt), desc(todos.id))
        .limit(pageSize)
        .offset((page - 1) * pageSize),
      db.$count(todos, own),
    ]);
    return { data, pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) } };
  },

  "GET /todos/:id": async ({ params, ctx }) => {
    const [todo] = await dbOf(ctx).select().from(todos).where(ownedBy(ctx.userId, params.id));
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "PUT /todos/:id": async ({ params, body, ctx }) => {
    const [todo] = await dbOf(ctx)
      .update(todos)
      // Sets `updatedAt` explicitly, because a body without fields is an update too.
      .set({ ...body, updatedAt: new Date() })
      .where(ownedBy(ctx.userId, params.id))
      .returning();
    if (todo === undefined) throw todoNotFound(params.id);
    return todo;
  },

  "DELETE /todos/:id": async ({ params, ctx }) => {
    const deleted = await dbOf(ctx)
      .delete(todos)
      .where(ownedBy(ctx.userId, params.id))
      .returning({ id: todos.id });
    if (deleted.length === 0) throw todoNotFound(params.id);
  },
});
