import { defineHandlers } from "@kit/core";
import { ConflictError, ForbiddenError, NotFoundError } from "@kit/errors";
import type { Transaction } from "kysely";
import { teamMembersOnInsert } from "../.kit/schemas/team_members.ts";
import { teamsOnInsert } from "../.kit/schemas/teams.ts";
import { dbOf, violates } from "./database.ts";
import type { Database } from "./database.ts";
import { pageOf, window } from "./paging.ts";
import type { TeamRoutes } from "./teams.routes.ts";
import { userNotFound } from "./users.handlers.ts";

function teamNotFound(id: string): NotFoundError {
  return new NotFoundError("TEAM_NOT_FOUND", "Team not found", { id });
}

function teamFull(id: string, capacity: number): ForbiddenError {
  return new ForbiddenError("TEAM_FULL", `A team of ${capacity} takes no more members`, { id, capacity });
}

/**
 * Returns the team and the number of its members. The row stays locked until the end of the transaction: users who join at the same time
 * wait, and the members are then counted again.
 */
async function lockTeam(trx: Transaction<Database>, id: string) {
  const team = await trx.selectFrom("teams").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  if (team === undefined) throw teamNotFound(id);
  const { members } = await trx
    .selectFrom("teamMembers")
    .select(({ fn }) => fn.countAll<number | bigint>().as("members"))
    .where("teamId", "=", id)
    .executeTakeFirstOrThrow();
  return { team, members: Number(members) };
}

/** Handlers of the teams API. */
export const teamHandlers = defineHandlers<TeamRoutes>({
  "POST /teams": ({ body, ctx }) =>
    dbOf(ctx)
      .insertInto("teams")
      .values({ ...body, ...teamsOnInsert() })
      .returningAll()
      .executeTakeFirstOrThrow(),

  "GET /teams": async ({ query, ctx }) => {
    const db = dbOf(ctx);
    const { limit, offset } = window(query);
    const [data, { total }] = await Promise.all([
      db
        .selectFrom("teams")
        .selectAll()
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .offset(offset)
        .execute(),
      db
        .selectFrom("teams")
        .select(({ fn }) => fn.countAll<number | bigint>().as("total"))
        .executeTakeFirstOrThrow(),
    ]);
    return pageOf(data, total, query);
  },

  "GET /teams/:id": async ({ params: { id }, ctx }) => {
    const db = dbOf(ctx);
    const [team, members] = await Promise.all([
      db.selectFrom("teams").selectAll().where("id", "=", id).executeTakeFirst(),
      db
        .selectFrom("teamMembers")
        .innerJoin("users", "users.id", "teamMembers.userId")
        .select(["users.id", "users.displayName", "teamMembers.role", "teamMembers.joinedAt"])
        .where("teamMembers.teamId", "=", id)
        .orderBy("teamMembers.joinedAt")
        .orderBy("users.id")
        .execute(),
    ]);
    if (team === undefined) throw teamNotFound(id);
    return { ...team, members };
  },

  "PUT /teams/:id": ({ params: { id }, body, ctx }) =>
    dbOf(ctx)
      .transaction()
      .execute(async (trx) => {
        const { members } = await lockTeam(trx, id);
        if (body.capacity !== undefined && body.capacity < members) throw teamFull(id, body.capacity);
        return trx
          .updateTable("teams")
          .set({ ...body, updatedAt: new Date() })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
      }),

  "DELETE /teams/:id": async ({ params: { id }, ctx }) => {
    const { numDeletedRows } = await dbOf(ctx).deleteFrom("teams").where("id", "=", id).executeTakeFirst();
    if (numDeletedRows === 0n) throw teamNotFound(id);
  },

  "POST /teams/:id/members": async ({ params: { id }, body, ctx }) => {
    try {
      return await dbOf(ctx)
        .transaction()
        .execute(async (trx) => {
          const { team, members } = await lockTeam(trx, id);
          const member = await trx
            .insertInto("teamMembers")
            .values({ ...body, ...teamMembersOnInsert(), teamId: id })
            .returningAll()
            .executeTakeFirstOrThrow();
          // Check the capacity after the insert, so that existing members get ALREADY_MEMBER and not TEAM_FULL.
          if (members >= team.capacity) throw teamFull(id, team.capacity);
          return member;
        });
    } catch (error) {
      if (violates(error, "team_members_pkey")) {
        throw new ConflictError("ALREADY_MEMBER", "The user belongs to this team already", {
          id,
          userId: body.userId,
        });
      }
      throw violates(error, "team_members_user_id_users_id_fk") ? userNotFound(body.userId) : error;
    }
  },

  "DELETE /teams/:id/members/:userId": async ({ params: { id, userId }, ctx }) => {
    const { numDeletedRows } = await dbOf(ctx)
      .deleteFrom("teamMembers")
      .where("teamId", "=", id)
      .where("userId", "=", userId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw teamNotFound(id);
  },
});
