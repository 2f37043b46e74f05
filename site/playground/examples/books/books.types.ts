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

/** A book that a client adds. */
export type NewBook = Omit<Book, "id">;
