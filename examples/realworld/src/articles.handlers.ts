import { randomBytes } from "node:crypto";
import { defineHandlers, type RequestContext } from "@kit/core";
import { ForbiddenError, NotFoundError } from "@kit/errors";
import { and, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { accounts } from "../.kit/schemas/accounts.ts";
import { articles } from "../.kit/schemas/articles.ts";
import { comments } from "../.kit/schemas/comments.ts";
import { favorites } from "../.kit/schemas/favorites.ts";
import { follows } from "../.kit/schemas/follows.ts";
import type { ReadingRoutes, WritingRoutes } from "./articles.routes.ts";
import type { ArticlePage, ArticleView, CommentView, Window } from "./articles.types.ts";
import type { Member, Reader } from "./auth.ts";
import { dbOf } from "./database.ts";
import { profileColumns } from "./users.handlers.ts";

/** Returns the part of the URL that names an article: words of its title, and a random end, because titles may be equal. */
function slugOf(title: string): string {
  const plain = title.normalize("NFKD").toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  return [...words, randomBytes(4).toString("hex")].join("-").slice(-100);
}

/** Returns the query for articles as the reader sees them. */
function articleQuery(ctx: RequestContext, readerId: string | null) {
  const { id, authorId, ...columns } = getTableColumns(articles);
  const favorited = sql<boolean>`exists (select 1 from ${favorites} where ${favorites.accountId} = ${readerId} and ${favorites.articleId} = ${id})`;
  const favoritesCount = dbOf(ctx).$count(favorites, eq(favorites.articleId, id));
  return dbOf(ctx)
    .select({ ...columns, favorited, favoritesCount, author: profileColumns(readerId) })
    .from(articles)
    .innerJoin(accounts, eq(accounts.id, authorId));
}

async function page(
  ctx: RequestContext,
  readerId: string | null,
  where: SQL | undefined,
  { limit = 20, offset = 0 }: Window,
): Promise<ArticlePage> {
  const order = [desc(articles.createdAt), desc(articles.id)];
  const [found, articlesCount] = await Promise.all([
    articleQuery(ctx, readerId)
      .where(where)
      .orderBy(...order)
      .limit(limit)
      .offset(offset),
    dbOf(ctx).$count(articles, where),
  ]);
  return { articles: found, articlesCount };
}

async function articleOf(ctx: RequestContext, readerId: string | null, slug: string): Promise<ArticleView> {
  const [article] = await articleQuery(ctx, readerId).where(eq(articles.slug, slug));
  if (article === undefined) throw articleNotFound();
  return article;
}

function articleNotFound(): NotFoundError {
  return new NotFoundError("ARTICLE_NOT_FOUND", "not found");
}

/** Returns the id and the author of an article. */
async function findArticle(ctx: RequestContext, slug: string): Promise<{ id: string; authorId: string }> {
  const { id, authorId } = articles;
  const [article] = await dbOf(ctx).select({ id, authorId }).from(articles).where(eq(articles.slug, slug));
  if (article === undefined) throw articleNotFound();
  return article;
}

/** Returns the id of an article that the user wrote. */
async function ownArticle(ctx: RequestContext & Member, slug: string): Promise<string> {
  const { id, authorId } = await findArticle(ctx, slug);
  if (authorId !== ctx.auth.subject) throw new ForbiddenError("ARTICLE_FORBIDDEN", "forbidden");
  return id;
}

/** Returns the query for comments as the reader sees them. */
function commentQuery(ctx: RequestContext, readerId: string | null) {
  const { id, body, createdAt, updatedAt } = comments;
  return dbOf(ctx)
    .select({ id, body, createdAt, updatedAt, author: profileColumns(readerId) })
    .from(comments)
    .innerJoin(accounts, eq(accounts.id, comments.authorId));
}

export const readingHandlers = defineHandlers<ReadingRoutes, Reader>({
  "GET /articles": ({ query, ctx }) => {
    const { tag, author, favorited } = query;
    const db = dbOf(ctx);
    const authors = (name: string) =>
      db.select({ id: accounts.id }).from(accounts).where(eq(accounts.username, name));
    const liked = (name: string) =>
      db
        .select({ id: favorites.articleId })
        .from(favorites)
        .where(inArray(favorites.accountId, authors(name)));
    const where = and(
      tag === undefined ? undefined : sql`${articles.tagList} @> ${JSON.stringify([tag])}::jsonb`,
      author === undefined ? undefined : inArray(articles.authorId, authors(author)),
      favorited === undefined ? undefined : inArray(articles.id, liked(favorited)),
    );
    return page(ctx, ctx.auth?.subject ?? null, where, query);
  },

  "GET /articles/:slug": async ({ params, ctx }) => ({
    article: await articleOf(ctx, ctx.auth?.subject ?? null, params.slug),
  }),

  "GET /articles/:slug/comments": async ({ params, ctx }) => {
    const { id } = await findArticle(ctx, params.slug);
    const found: CommentView[] = await commentQuery(ctx, ctx.auth?.subject ?? null)
      .where(eq(comments.articleId, id))
      .orderBy(comments.id);
    return { comments: found };
  },

  "GET /tags": async ({ ctx }) => {
    const tag = sql<string>`jsonb_array_elements_text(${articles.tagList})`;
    const rows = await dbOf(ctx).selectDistinct({ tag }).from(articles).orderBy(tag).limit(1000);
    return { tags: rows.map((row) => row.tag) };
  },
});

export const writingHandlers = defineHandlers<WritingRoutes, Member>({
  "GET /articles/feed": ({ query, ctx }) => {
    const followed = dbOf(ctx)
      .select({ id: follows.followedId })
      .from(follows)
      .where(eq(follows.followerId, ctx.auth.subject));
    return page(ctx, ctx.auth.subject, inArray(articles.authorId, followed), query);
  },

  "POST /articles": async ({ body, ctx }) => {
    const slug = slugOf(body.article.title);
    await dbOf(ctx)
      .insert(articles)
      .values({ ...body.article, slug, authorId: ctx.auth.subject });
    return { article: await articleOf(ctx, ctx.auth.subject, slug) };
  },

  "PUT /articles/:slug": async ({ params, body, ctx }) => {
    const id = await ownArticle(ctx, params.slug);
    const { title } = body.article;
    const slug = title === undefined ? params.slug : slugOf(title);
    const values = { ...body.article, slug, updatedAt: new Date() };
    await dbOf(ctx).update(articles).set(values).where(eq(articles.id, id));
    return { article: await articleOf(ctx, ctx.auth.subject, slug) };
  },

  "DELETE /articles/:slug": async ({ params, ctx }) => {
    const id = await ownArticle(ctx, params.slug);
    await dbOf(ctx).delete(articles).where(eq(articles.id, id));
  },

  "POST /articles/:slug/favorite": async ({ params, ctx }) => {
    const { id } = await findArticle(ctx, params.slug);
    await dbOf(ctx)
      .insert(favorites)
      .values({ accountId: ctx.auth.subject, articleId: id })
      .onConflictDoNothing();
    return { article: await articleOf(ctx, ctx.auth.subject, params.slug) };
  },

  "DELETE /articles/:slug/favorite": async ({ params, ctx }) => {
    const { id } = await findArticle(ctx, params.slug);
    const own = and(eq(favorites.accountId, ctx.auth.subject), eq(favorites.articleId, id));
    await dbOf(ctx).delete(favorites).where(own);
    return { article: await articleOf(ctx, ctx.auth.subject, params.slug) };
  },

  "POST /articles/:slug/comments": async ({ params, body, ctx }) => {
    const { id: articleId } = await findArticle(ctx, params.slug);
    const values = { ...body.comment, articleId, authorId: ctx.auth.subject };
    const [added] = await dbOf(ctx).insert(comments).values(values).returning({ id: comments.id });
    const [comment] = await commentQuery(ctx, ctx.auth.subject).where(eq(comments.id, added!.id));
    return { comment: comment! };
  },

  "DELETE /articles/:slug/comments/:id": async ({ params, ctx }) => {
    const { id: articleId } = await findArticle(ctx, params.slug);
    const one = and(eq(comments.id, params.id), eq(comments.articleId, articleId));
    const [comment] = await dbOf(ctx).select().from(comments).where(one);
    if (comment === undefined) throw new NotFoundError("COMMENT_NOT_FOUND", "not found");
    if (comment.authorId !== ctx.auth.subject) throw new ForbiddenError("COMMENT_FORBIDDEN", "forbidden");
    await dbOf(ctx).delete(comments).where(one);
  },
});
