import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { desc, eq } from "drizzle-orm";
import { samplesTable as table } from "../.kit/schemas/samples_table.ts";
import { dbOf } from "./database.ts";
import type { SampleRoutes } from "./samples-path.routes.ts";

function sampleNotFound(id: string): NotFoundError {
  return new NotFoundError("SAMPLE_NOT_FOUND", "Not one of the samples", { id });
}

/** Handlers of the samples API. */
export const sampleHandlers = defineHandlers<SampleRoutes>({
  "POST /samples-path": async ({ body, ctx }) => {
    const [made] = await dbOf(ctx).insert(table).values(body).returning();
    return made!;
  },

  "GET /samples-path": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { page = 1, pageSize = 20 } = query;
    const [data, total] = await Promise.all([
      db
        .select()
        .from(table)
        // The id orders rows of the same time, so that no row is on two pages.
        .orderBy(desc(table.createdAt), desc(table.id))
        .limit(pageSize)
        .offset((page - 1) * pageSize),
      db.$count(table),
    ]);
    return { data, pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) } };
  },

  "GET /samples-path/:id": async ({ params, ctx }) => {
    const [found] = await dbOf(ctx).select().from(table).where(eq(table.id, params.id));
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "PUT /samples-path/:id": async ({ params, body, ctx }) => {
    const [changed] = await dbOf(ctx)
      .update(table)
      // Sets `updatedAt` explicitly, because a body without fields is an update too.
      .set({ ...body, updatedAt: new Date() })
      .where(eq(table.id, params.id))
      .returning();
    if (changed === undefined) throw sampleNotFound(params.id);
    return changed;
  },

  "DELETE /samples-path/:id": async ({ params, ctx }) => {
    const deleted = await dbOf(ctx).delete(table).where(eq(table.id, params.id)).returning({ id: table.id });
    if (deleted.length === 0) throw sampleNotFound(params.id);
  },
});
