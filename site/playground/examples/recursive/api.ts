import type { Route } from "@kit/types";

/** A comment with replies. */
export interface Comment {
  id: string;
  /** @maxLength 2000 */
  text: string;
  replies: Comment[];
}

/** Comments. */
export interface CommentRoutes {
  /** @summary Reads the comments of an article */
  "GET /articles/:id/comments": Route<{ params: { id: string }; response: Comment[] }>;
}
