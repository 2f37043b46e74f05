import { defineHandlers } from "@kit/core";
import { ConflictError, NotFoundError } from "@kit/errors";
import { usersOnInsert } from "../.kit/schemas/users.ts";
import { dbOf, violates } from "./database.ts";
import { pageOf, window } from "./paging.ts";
import type { UserRoutes } from "./users.routes.ts";

export function userNotFound(id: string): NotFoundError {
  return new NotFoundError("USER_NOT_FOUND", "User not found", { id });
}

/** Returns a conflict error if a write failed because another user has the email address; otherwise the error itself. */
function refused(error: unknown, email: string | undefined): unknown {
  return violates(error, "users_email_unique")
    ? new ConflictError("USER_EMAIL_CONFLICT", "Another user has this email address", { email })
    : error;
}

/** Handlers of the users API. */
export const userHandlers = defineHandlers<UserRoutes>({
  "POST /users": async ({ body, ctx }) => {
    try {
      return await dbOf(ctx)
        .insertInto("users")
        .values({ ...body, ...usersOnInsert() })
        .returningAll()
        .executeTakeFirstOrThrow();
    } catch (error) {
      throw refused(error, body.email);
    }
  },

  "GET /users": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { limit, offset } = window(query);
    let users = db.selectFrom("users");
    if (query.status !== undefined) users = users.where("status", "=", query.status);
    const [data, { total }] = await Promise.all([
      // Sort users with the same timestamp by id, so that no user is on two pages.
      users
        .selectAll()
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .offset(offset)
        .execute(),
      users.select(({ fn }) => fn.countAll<number | bigint>().as("total")).executeTakeFirstOrThrow(),
    ]);
    return pageOf(data, total, query);
  },

  "GET /users/:id": async ({ params: { id }, ctx }) => {
    const user = await dbOf(ctx).selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
    if (user === undefined) throw userNotFound(id);
    return user;
  },

  "PUT /users/:id": async ({ params: { id }, body, ctx }) => {
    try {
      const user = await dbOf(ctx)
        .updateTable("users")
        .set({ ...body, updatedAt: new Date() })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst();
      if (user === undefined) throw userNotFound(id);
      return user;
    } catch (error) {
      throw refused(error, body.email);
    }
  },

  "DELETE /users/:id": async ({ params: { id }, ctx }) => {
    const { numDeletedRows } = await dbOf(ctx).deleteFrom("users").where("id", "=", id).executeTakeFirst();
    if (numDeletedRows === 0n) throw userNotFound(id);
  },
});
