import type { Account, Profile } from "./users.types.ts";

/**
 * @table articles @owner none
 */
export interface Article {
  /** @id @generated uuid */
  id: string;
  /**
   * Name of the article in URLs, made from the title.
   *
   * @unique
   */
  slug: string;
  /** @references Account.id cascade @index */
  authorId: Account["id"];
  /**
   * @minLength 1
   * @maxLength 200
   */
  title: string;
  /**
   * @minLength 1
   * @maxLength 1000
   */
  description: string;
  /**
   * Text in Markdown.
   *
   * @minLength 1
   * @maxLength 100000
   */
  body: string;
  /** @maxItems 20 @default [] */
  tagList: Tag[];
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/**
 * @minLength 1
 * @maxLength 50
 */
export type Tag = string;

/**
 * An account that likes an article.
 *
 * @table favorites @owner none
 */
export interface Favorite {
  /** @id @references Account.id cascade */
  accountId: string;
  /** @id @references Article.id cascade @index */
  articleId: string;
}

/**
 * @table comments @owner none
 */
export interface Comment {
  /** @id @generated @integer */
  id: number;
  /** @references Article.id cascade @index */
  articleId: string;
  /** @references Account.id cascade @index */
  authorId: string;
  /**
   * @minLength 1
   * @maxLength 10000
   */
  body: string;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/** Values of a new article. */
export type NewArticle = Pick<Article, "title" | "description" | "body" | "tagList">;

/** Article in a list, without its text. */
export type ArticleSummary = Omit<Article, "id" | "authorId" | "body"> & {
  /** True if the user who asks likes the article. */
  favorited: boolean;
  /** Number of accounts that like the article. @integer @minimum 0 */
  favoritesCount: number;
  author: Profile;
};

/** Article with its text. */
export type ArticleView = ArticleSummary & Pick<Article, "body">;

export type ArticleResponse = { article: ArticleView };

/** One page of a list of articles. */
export interface ArticlePage {
  articles: ArticleSummary[];
  /** Number of articles on all pages. @integer @minimum 0 */
  articlesCount: number;
}

/** Comment as the API returns it. */
export type CommentView = Omit<Comment, "articleId" | "authorId"> & { author: Profile };

export type CommentResponse = { comment: CommentView };

/** Values of a new comment. */
export type NewComment = Pick<Comment, "body">;

/** Part of a list. */
export interface Window {
  /** Maximum number of articles in the response. The default is 20. @integer @minimum 1 @maximum 100 */
  limit?: number;
  /** Number of articles to skip. @integer @minimum 0 @maximum 1000000 */
  offset?: number;
}

/** Selection of articles. */
export interface ArticleFilter extends Window {
  tag?: string;
  /** Name of the author. */
  author?: string;
  /** Name of an account that likes the articles. */
  favorited?: string;
}
