import { defineHandlers, type RequestContext } from "@kit/core";
import { ConflictError, NotFoundError, UnauthorizedError } from "@kit/errors";
import { and, eq, sql } from "drizzle-orm";
import { accounts } from "../.kit/schemas/accounts.ts";
import { follows } from "../.kit/schemas/follows.ts";
import { type Member, passwords, type Reader, tokenFor } from "./auth.ts";
import { dbOf, violates } from "./database.ts";
import type { FollowRoutes, LoginRoutes, ProfileRoutes, UserRoutes } from "./users.routes.ts";
import type { Account, UserResponse } from "./users.types.ts";

type StoredAccount = typeof accounts.$inferSelect;

async function viewOf({ id, username, email, bio, image }: StoredAccount): Promise<UserResponse> {
  return { user: { username, email, bio, image, token: await tokenFor(id) } };
}

/** Throws the error of a name or an address that another account has, or the given error if its reason is another. */
function refuseTaken(error: unknown): never {
  const text = "has already been taken";
  if (violates(error, "accounts_username_unique")) throw new ConflictError("USERNAME_TAKEN", text);
  if (violates(error, "accounts_email_unique")) throw new ConflictError("EMAIL_TAKEN", text);
  throw error;
}

export const loginHandlers = defineHandlers<LoginRoutes>({
  "POST /users": async ({ body: { user }, ctx }) => {
    const { username, email, password } = user;
    const values = { username, email, passwordHash: await passwords.hash(password), bio: null, image: null };
    const [account] = await dbOf(ctx).insert(accounts).values(values).returning().catch(refuseTaken);
    return viewOf(account!);
  },

  "POST /users/login": async ({ body: { user }, ctx }) => {
    const [account] = await dbOf(ctx).select().from(accounts).where(eq(accounts.email, user.email));
    const isRight = await passwords.verify(user.password, account?.passwordHash ?? null);
    if (account === undefined || !isRight) {
      throw new UnauthorizedError("CREDENTIALS_INVALID", "invalid");
    }
    return viewOf(account);
  },
});

/** Returns the account of a token. A token of a deleted account is invalid. */
function ownAccount(account: StoredAccount | undefined): StoredAccount {
  if (account === undefined)
    throw new UnauthorizedError("INVALID_TOKEN", "The account of the access token was deleted");
  return account;
}

export const userHandlers = defineHandlers<UserRoutes, Member>({
  "GET /user": async ({ ctx }) => {
    const [account] = await dbOf(ctx).select().from(accounts).where(eq(accounts.id, ctx.auth.subject));
    return viewOf(ownAccount(account));
  },

  "PUT /user": async ({ body, ctx }) => {
    const { password, ...changes } = body.user;
    // An update without values is an error in SQL, so the id is always set.
    const values: Partial<Account> = { id: ctx.auth.subject, ...changes };
    if (changes.bio !== undefined) values.bio = changes.bio || null;
    if (changes.image !== undefined) values.image = changes.image || null;
    if (password !== undefined) values.passwordHash = await passwords.hash(password);
    const own = eq(accounts.id, ctx.auth.subject);
    const [account] = await dbOf(ctx).update(accounts).set(values).where(own).returning().catch(refuseTaken);
    return viewOf(ownAccount(account));
  },
});

/** Returns SQL for the columns of {@link Profile}, in a query that has the table `accounts`. */
export function profileColumns(readerId: string | null) {
  const following = sql<boolean>`exists (select 1 from ${follows} where ${follows.followerId} = ${readerId} and ${follows.followedId} = ${accounts.id})`;
  return { username: accounts.username, bio: accounts.bio, image: accounts.image, following };
}

async function profileOf(ctx: RequestContext, username: string, readerId: string | null) {
  const query = dbOf(ctx).select({ id: accounts.id, profile: profileColumns(readerId) });
  const [found] = await query.from(accounts).where(eq(accounts.username, username));
  if (found === undefined) throw new NotFoundError("PROFILE_NOT_FOUND", "not found");
  return found;
}

export const profileHandlers = defineHandlers<ProfileRoutes, Reader>({
  "GET /profiles/:username": ({ params, ctx }) => profileOf(ctx, params.username, ctx.auth?.subject ?? null),
});

export const followHandlers = defineHandlers<FollowRoutes, Member>({
  "POST /profiles/:username/follow": async ({ params, ctx }) => {
    const { id, profile } = await profileOf(ctx, params.username, ctx.auth.subject);
    await dbOf(ctx)
      .insert(follows)
      .values({ followerId: ctx.auth.subject, followedId: id })
      .onConflictDoNothing();
    return { profile: { ...profile, following: true } };
  },

  "DELETE /profiles/:username/follow": async ({ params, ctx }) => {
    const { id, profile } = await profileOf(ctx, params.username, ctx.auth.subject);
    const own = and(eq(follows.followerId, ctx.auth.subject), eq(follows.followedId, id));
    await dbOf(ctx).delete(follows).where(own);
    return { profile: { ...profile, following: false } };
  },
});
