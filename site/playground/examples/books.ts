import type { Route } from "@kit/types";

/** A book on the shelf. */
export interface Book {
  /** @id @generated uuid */
  id: string;
  /** @minLength 1 @maxLength 200 */
  title: string;
  /** @integer @minimum 1 */
  pages: number;
  /** @default false */
  read: boolean;
}

/** Books of the shelf. */
export interface BookRoutes {
  /** @summary Adds a book */
  "POST /books": Route<{ body: Omit<Book, "id">; response: Book }>;

  /**
   * @summary Reads a book
   * @throws BOOK_NOT_FOUND 404 No book has this id.
   */
  "GET /books/:id": Route<{ params: { id: Book["id"] }; response: Book }>;
}
