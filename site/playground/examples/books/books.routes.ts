import type { Route } from "@kit/types";
import type { Book, NewBook } from "./books.types.ts";

/** Books of the shelf. */
export interface BookRoutes {
  /** @summary Adds a book */
  "POST /books": Route<{ body: NewBook; response: Book }>;

  /**
   * @summary Reads a book
   * @throws BOOK_NOT_FOUND 404 No book has this id.
   */
  "GET /books/:id": Route<{ params: { id: Book["id"] }; response: Book }>;
}
