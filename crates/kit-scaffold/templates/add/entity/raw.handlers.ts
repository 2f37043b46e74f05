import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { all, insert, select, update } from "../.kit/schemas/database.ts";
import { type SampleRow, samplesTable as table } from "../.kit/schemas/samples_table.ts";
import { db } from "./database.ts";
import type { SampleRoutes } from "./samples-path.routes.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function sampleNotFound(id: string): NotFoundError {
  return new NotFoundError("SAMPLE_NOT_FOUND", "Not one of the samples", { id });
}

/** Text that is no UUID names none of them; PostgreSQL would call it an error. */
function known(id: string): string {
  if (!uuid.test(id)) throw sampleNotFound(id);
  return id;
}

/** What the API does with samples. */
export const sampleHandlers = defineHandlers<SampleRoutes>({
  "POST /samples-path": async ({ body }) => {
    const { rows } = await db.query<SampleRow>(insert(table, body));
    return rows[0]!;
  },

  "GET /samples-path": async ({ query }) => {
    const { page = 1, pageSize = 20 } = query;
    const { id, createdAt } = table.columns;
    const [list, count] = await Promise.all([
      // The id decides between those of the same moment, so that none is on two pages.
      db.query<SampleRow>(
        `SELECT ${all(table)} FROM ${table.name} ORDER BY ${createdAt} DESC, ${id} DESC LIMIT $1 OFFSET $2`,
        [pageSize, (page - 1) * pageSize],
      ),
      db.query<{ total: number | bigint }>(`SELECT count(*) AS total FROM ${table.name}`),
    ]);
    const total = Number(count.rows[0]!.total);
    return {
      data: list.rows,
      pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) },
    };
  },

  "GET /samples-path/:id": async ({ params }) => {
    const { rows } = await db.query<SampleRow>(select(table, { id: known(params.id) }));
    const [found] = rows;
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "PUT /samples-path/:id": async ({ params, body }) => {
    const { rows } = await db.query<SampleRow>(update(table, { id: known(params.id) }, body));
    const [changed] = rows;
    if (changed === undefined) throw sampleNotFound(params.id);
    return changed;
  },

  "DELETE /samples-path/:id": async ({ params }) => {
    const { rowCount } = await db.query(`DELETE FROM ${table.name} WHERE ${table.columns.id} = $1`, [
      known(params.id),
    ]);
    if (rowCount === 0) throw sampleNotFound(params.id);
  },
});
