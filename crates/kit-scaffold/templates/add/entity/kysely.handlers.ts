import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { dbOf } from "./database.ts";
import type { SampleRoutes } from "./samples-path.routes.ts";

function sampleNotFound(id: string): NotFoundError {
  return new NotFoundError("SAMPLE_NOT_FOUND", "Not one of the samples", { id });
}

/** Handlers of the samples API. */
export const sampleHandlers = defineHandlers<SampleRoutes>({
  "POST /samples-path": ({ body, ctx }) =>
    dbOf(ctx).insertInto("samplesTable").values(body).returningAll().executeTakeFirstOrThrow(),

  "GET /samples-path": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { page = 1, pageSize = 20 } = query;
    const all = db.selectFrom("samplesTable");
    const [data, counted] = await Promise.all([
      all
        .selectAll()
        // The id orders rows of the same time, so that no row is on two pages.
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(pageSize)
        .offset((page - 1) * pageSize)
        .execute(),
      all.select((of) => of.fn.countAll<number | bigint>().as("total")).executeTakeFirstOrThrow(),
    ]);
    const total = Number(counted.total);
    return { data, pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) } };
  },

  "GET /samples-path/:id": async ({ params, ctx }) => {
    const found = await dbOf(ctx)
      .selectFrom("samplesTable")
      .selectAll()
      .where("id", "=", params.id)
      .executeTakeFirst();
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "PUT /samples-path/:id": async ({ params, body, ctx }) => {
    const changed = await dbOf(ctx)
      .updateTable("samplesTable")
      .set({ ...body, updatedAt: new Date() })
      .where("id", "=", params.id)
      .returningAll()
      .executeTakeFirst();
    if (changed === undefined) throw sampleNotFound(params.id);
    return changed;
  },

  "DELETE /samples-path/:id": async ({ params, ctx }) => {
    const deleted = await dbOf(ctx)
      .deleteFrom("samplesTable")
      .where("id", "=", params.id)
      .returning("id")
      .executeTakeFirst();
    if (deleted === undefined) throw sampleNotFound(params.id);
  },
});
