import type { RouteContract } from "@kit/types";

export interface Book {
  /** @format uuid */
  id: string;
  /** @minLength 1 @maxLength 200 */
  title: string;
}

/** @deprecatedSince 2026-01-01 @sunset 2026-12-31 */
export interface BookRoutes {
  /** @successor /v2/books */
  "GET /books": RouteContract<void, void, void, Book[]>;
  "POST /books": RouteContract<void, void, Omit<Book, "id">, Book>;
}
