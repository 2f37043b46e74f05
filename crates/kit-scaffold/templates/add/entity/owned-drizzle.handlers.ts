import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { and, desc, eq } from "drizzle-orm";
import { samplesTable as table } from "../.kit/schemas/samples_table.ts";
import { dbOf } from "./database.ts";
import type { SampleRoutes } from "./samples-path.routes.ts";

function sampleNotFound(id: string): NotFoundError {
  return new NotFoundError("SAMPLE_NOT_FOUND", "Not one of the samples", { id });
}

/** Selects the user's row with an id. */
function ownedBy(userId: string, id: string) {
  return and(eq(table.id, id), eq(table.userId, userId));
}

/** Handlers of the samples API. */
export const sampleHandlers = defineHandlers<SampleRoutes, { userId: string }>({
  "POST /samples-path": async ({ body, ctx }) => {
    const [found] = await dbOf(ctx)
      .insert(table)
      .values({ ...body, userId: ctx.userId })
      .returning();
    return found!;
  },

  "GET /samples-path": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { page = 1, pageSize = 20 } = query;
    const own = eq(table.userId, ctx.userId);
    const [data, total] = await Promise.all([
      db
        .select()
        .from(table)
        .where(own)
        // The id orders rows of the same time, so that no row is on two pages.
        .orderBy(desc(table.createdAt), desc(table.id))
        .limit(pageSize)
        .offset((page - 1) * pageSize),
      db.$count(table, own),
    ]);
    return { data, pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) } };
  },

  "GET /samples-path/:id": async ({ params, ctx }) => {
    const [found] = await dbOf(ctx).select().from(table).where(ownedBy(ctx.userId, params.id));
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "PUT /samples-path/:id": async ({ params, body, ctx }) => {
    const [found] = await dbOf(ctx)
      .update(table)
      // Sets `updatedAt` explicitly, because a body without fields is an update too.
      .set({ ...body, updatedAt: new Date() })
      .where(ownedBy(ctx.userId, params.id))
      .returning();
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "DELETE /samples-path/:id": async ({ params, ctx }) => {
    const deleted = await dbOf(ctx)
      .delete(table)
      .where(ownedBy(ctx.userId, params.id))
      .returning({ id: table.id });
    if (deleted.length === 0) throw sampleNotFound(params.id);
  },
});
