import { defineHandlers } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { desc, eq } from "drizzle-orm";
import { samplesTable as table } from "../.kit/schemas/samples_table.ts";
import { db } from "./database.ts";
import type { SampleRoutes } from "./samples-path.routes.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function sampleNotFound(id: string): NotFoundError {
  return new NotFoundError("SAMPLE_NOT_FOUND", "Not one of the samples", { id });
}

/** The row of that id. Text that is no UUID names none; PostgreSQL would call it an error. */
function of(id: string) {
  if (!uuid.test(id)) throw sampleNotFound(id);
  return eq(table.id, id);
}

/** What the API does with samples. */
export const sampleHandlers = defineHandlers<SampleRoutes>({
  "POST /samples-path": async ({ body }) => {
    const [made] = await db.insert(table).values(body).returning();
    return made!;
  },

  "GET /samples-path": async ({ query }) => {
    const { page = 1, pageSize = 20 } = query;
    const [data, total] = await Promise.all([
      db
        .select()
        .from(table)
        // The id decides between those of the same moment, so that none is on two pages.
        .orderBy(desc(table.createdAt), desc(table.id))
        .limit(pageSize)
        .offset((page - 1) * pageSize),
      db.$count(table),
    ]);
    return { data, pagination: { total, page, pageSize, totalPages: Math.ceil(total / pageSize) } };
  },

  "GET /samples-path/:id": async ({ params }) => {
    const [found] = await db.select().from(table).where(of(params.id));
    if (found === undefined) throw sampleNotFound(params.id);
    return found;
  },

  "PUT /samples-path/:id": async ({ params, body }) => {
    const [changed] = await db
      .update(table)
      // `updatedAt` is said aloud since a body without fields is an update too.
      .set({ ...body, updatedAt: new Date() })
      .where(of(params.id))
      .returning();
    if (changed === undefined) throw sampleNotFound(params.id);
    return changed;
  },

  "DELETE /samples-path/:id": async ({ params }) => {
    const deleted = await db.delete(table).where(of(params.id)).returning({ id: table.id });
    if (deleted.length === 0) throw sampleNotFound(params.id);
  },
});
