import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
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
  "POST /samples-path": ({ body }) =>
    db.insertInto("samplesTable").values(body).returningAll().executeTakeFirstOrThrow(),

  "GET /samples-path": async ({ query }) => {
    const { page = 1, pageSize = 20 } = query;
    const all = db.selectFrom("samplesTable");
    const [data, counted] = await Promise.all([
      all
        .selectAll()
        // The id decides between those of the same moment, so that none is on two pages.
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

  "GET /samples-path/:id": async ({ params }) => {
    const found = await db
      .selectFrom("samplesTable")
      .selectAll()
      .where("id", "=", known(params.id))
      .executeTakeFirst();
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "PUT /samples-path/:id": async ({ params, body }) => {
    const changed = await db
      .updateTable("samplesTable")
      .set({ ...body, updatedAt: new Date() })
      .where("id", "=", known(params.id))
      .returningAll()
      .executeTakeFirst();
    if (changed === undefined) throw sampleNotFound(params.id);
    return changed;
  },

  "DELETE /samples-path/:id": async ({ params }) => {
    const deleted = await db
      .deleteFrom("samplesTable")
      .where("id", "=", known(params.id))
      .returning("id")
      .executeTakeFirst();
    if (deleted === undefined) throw sampleNotFound(params.id);
  },
});
