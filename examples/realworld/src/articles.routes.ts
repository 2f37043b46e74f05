import type { RouteContract } from "@kit/types";
import type { Article, ArticleFilter, ArticlePage, ArticleResponse, NewArticle } from "./articles.types.ts";
import type { Comment, CommentResponse, CommentView, NewComment, Window } from "./articles.types.ts";

type Slug = { slug: Article["slug"] };

/** Articles and comments that everybody may read. */
export interface ReadingRoutes {
  /**
   * Newest first.
   *
   * @summary Lists articles
   */
  "GET /articles": RouteContract<void, ArticleFilter, void, ArticlePage>;

  /**
   * @summary Reads an article
   * @throws ARTICLE_NOT_FOUND 404 No article has this slug.
   */
  "GET /articles/:slug": RouteContract<Slug, void, void, ArticleResponse>;

  /**
   * @summary Lists the comments of an article
   * @throws ARTICLE_NOT_FOUND 404 No article has this slug.
   */
  "GET /articles/:slug/comments": RouteContract<Slug, void, void, { comments: CommentView[] }>;

  /** @summary Lists the tags of all articles */
  "GET /tags": RouteContract<void, void, void, { tags: string[] }>;
}

/** Articles, likes and comments of the user who is logged in. */
export interface WritingRoutes {
  /**
   * Newest first.
   *
   * @summary Lists the articles of the accounts that the user follows
   */
  "GET /articles/feed": RouteContract<void, Window, void, ArticlePage>;

  /** @summary Publishes an article */
  "POST /articles": RouteContract<void, void, { article: NewArticle }, ArticleResponse>;

  /**
   * @summary Changes an article
   * @throws ARTICLE_NOT_FOUND 404 No article has this slug.
   * @throws ARTICLE_FORBIDDEN 403 The article has another author.
   */
  "PUT /articles/:slug": RouteContract<Slug, void, { article: Partial<NewArticle> }, ArticleResponse>;

  /**
   * @summary Deletes an article
   * @throws ARTICLE_NOT_FOUND 404 No article has this slug.
   * @throws ARTICLE_FORBIDDEN 403 The article has another author.
   */
  "DELETE /articles/:slug": RouteContract<Slug, void, void, void>;

  /**
   * @summary Likes an article
   * @status 200
   * @throws ARTICLE_NOT_FOUND 404 No article has this slug.
   */
  "POST /articles/:slug/favorite": RouteContract<Slug, void, void, ArticleResponse>;

  /**
   * @summary Stops liking an article
   * @throws ARTICLE_NOT_FOUND 404 No article has this slug.
   */
  "DELETE /articles/:slug/favorite": RouteContract<Slug, void, void, ArticleResponse>;

  /**
   * @summary Comments on an article
   * @throws ARTICLE_NOT_FOUND 404 No article has this slug.
   */
  "POST /articles/:slug/comments": RouteContract<Slug, void, { comment: NewComment }, CommentResponse>;

  /**
   * @summary Deletes a comment
   * @throws ARTICLE_NOT_FOUND 404 No article has this slug.
   * @throws COMMENT_NOT_FOUND 404 The article has no such comment.
   * @throws COMMENT_FORBIDDEN 403 The comment has another author.
   */
  "DELETE /articles/:slug/comments/:id": RouteContract<Slug & { id: Comment["id"] }, void, void, void>;
}
