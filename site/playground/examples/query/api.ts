import type { Route } from "@kit/types";

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** @integer @minimum 0 */
  total: number;
}

/** An article. */
export interface Article {
  id: string;
  title: string;
  tags: string[];
}

/** Articles. */
export interface ArticleRoutes {
  /** @summary Searches articles */
  "GET /articles": Route<{
    query: {
      text?: string;
      tags?: string[];
      /** @integer @minimum 1 @maximum 100 @default 20 */
      limit: number;
    };
    response: Page<Article>;
  }>;
}
