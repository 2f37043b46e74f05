import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { all, insert, select, update } from "../.kit/schemas/database.ts";
import { type SampleRow, samplesTable as table } from "../.kit/schemas/samples_table.ts";
import { dbOf } from "./database.ts";
import type { SampleRoutes } from "./samples-path.routes.ts";

function sampleNotFound(id: string): NotFoundError {
  return new NotFoundError("SAMPLE_NOT_FOUND", "Not one of the samples", { id });
}

/** Selects the user's row with an id. */
function ownedBy(userId: string, id: string): Pick<SampleRow, "id" | "userId"> {
  return { id, userId };
}

/** Handlers of the samples API. */
export const sampleHandlers = defineHandlers<SampleRoutes, { userId: string }>({
  "POST /samples-path": async ({ body, ctx }) => {
    const { rows } = await dbOf(ctx).query<SampleRow>(insert(table, { ...body, userId: ctx.userId }));
    return rows[0]!;
  },

  "GET /samples-path": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { page = 1, pageSize = 20 } = query;
    const { id, userId, createdAt } = table.columns;
    const [list, count] = await Promise.all([
      // The id orders rows of the same time, so that no row is on two pages.
      db.query<SampleRow>(
        `SELECT ${all(table)} FROM ${table.name} WHERE ${userId} = $1
          ORDER BY ${createdAt} DESC, ${id} DESC LIMIT $2 OFFSET $3`,
        [ctx.userId, pageSize, (page - 1) * pageSize],
      ),
      db.query<{ total: number | bigint }>(
        `SELECT count(*) AS total FROM ${table.name} WHERE ${userId} = $1`,
        [ctx.userId],
      ),
    ]);
    const total = Number(count.rows[0]!.total);
    return {
      data: list.rows,
      pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) },
    };
  },

  "GET /samples-path/:id": async ({ params, ctx }) => {
    const { rows } = await dbOf(ctx).query<SampleRow>(select(table, ownedBy(ctx.userId, params.id)));
    const [found] = rows;
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "PUT /samples-path/:id": async ({ params, body, ctx }) => {
    const { rows } = await dbOf(ctx).query<SampleRow>(update(table, ownedBy(ctx.userId, params.id), body));
    const [found] = rows;
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "DELETE /samples-path/:id": async ({ params, ctx }) => {
    const own = ownedBy(ctx.userId, params.id);
    const { rowCount } = await dbOf(ctx).query(
      `DELETE FROM ${table.name} WHERE ${table.columns.id} = $1 AND ${table.columns.userId} = $2`,
      [own.id, own.userId],
    );
    if (rowCount === 0) throw sampleNotFound(params.id);
  },
});
