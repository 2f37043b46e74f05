import type { RouteContract } from "@kit/types";

export interface Book {
  /** @format uuid */
  id: string;
  /** @minLength 1 @maxLength 200 */
  title: string;
}

export interface BookRoutes {
  "GET /books": RouteContract<void, void, void, Book[]>;
  "POST /books": RouteContract<void, void, Omit<Book, "id">, Book>;
}
