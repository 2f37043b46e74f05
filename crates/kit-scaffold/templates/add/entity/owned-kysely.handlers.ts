import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { dbOf } from "./database.ts";
import type { SampleRoutes } from "./samples-path.routes.ts";

function sampleNotFound(id: string): NotFoundError {
  return new NotFoundError("SAMPLE_NOT_FOUND", "Not one of the samples", { id });
}

/** Handlers of the samples API. */
export const sampleHandlers = defineHandlers<SampleRoutes, { userId: string }>({
  "POST /samples-path": ({ body, ctx }) =>
    dbOf(ctx)
      .insertInto("samplesTable")
      .values({ ...body, userId: ctx.userId })
      .returningAll()
      .executeTakeFirstOrThrow(),

  "GET /samples-path": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { page = 1, pageSize = 20 } = query;
    const own = db.selectFrom("samplesTable").where("userId", "=", ctx.userId);
    const [data, counted] = await Promise.all([
      own
        .selectAll()
        // The id orders rows of the same time, so that no row is on two pages.
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

  "GET /samples-path/:id": async ({ params, ctx }) => {
    const found = await dbOf(ctx)
      .selectFrom("samplesTable")
      .selectAll()
      .where("id", "=", params.id)
      .where("userId", "=", ctx.userId)
      .executeTakeFirst();
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "PUT /samples-path/:id": async ({ params, body, ctx }) => {
    const found = await dbOf(ctx)
      .updateTable("samplesTable")
      .set({ ...body, updatedAt: new Date() })
      .where("id", "=", params.id)
      .where("userId", "=", ctx.userId)
      .returningAll()
      .executeTakeFirst();
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "DELETE /samples-path/:id": async ({ params, ctx }) => {
    const deleted = await dbOf(ctx)
      .deleteFrom("samplesTable")
      .where("id", "=", params.id)
      .where("userId", "=", ctx.userId)
      .returning("id")
      .executeTakeFirst();
    if (deleted === undefined) throw sampleNotFound(params.id);
  },
});
