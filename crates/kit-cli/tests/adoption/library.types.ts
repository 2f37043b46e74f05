import type { Decimal } from "@kit/types";

/**
 * People who write books.
 *
 * @table authors
 */
export interface Author {
  /** @id @generated uuid */
  id: string;
  /** @column fullName */
  fullName: string;
  /** @storedAs citext @unique */
  email: string | null;
  /**
   * Day of birth.
   *
   * @storedAs date
   */
  born: string | null;
  website: string | null;
  /** @generated now */
  createdAt: Date;
}

/** @table authors_of_books */
export interface AuthorsOfBook {
  /** @id @references Author.id */
  authorId: string;
  /** @id */
  bookId: bigint;
  /** @integer @minimum -2147483648 @maximum 2147483647 */
  share: number | null;
}

/**
 * @table books
 * @unique one_title_per_author (authorId, title)
 * @index books_author_and_kind (authorId, kind)
 */
export interface Book {
  /** @id @generated */
  id: bigint;
  /** @references Author.id cascade */
  authorId: string;
  isbn: string | null;
  title: string;
  /** @default "9.99" */
  price: Decimal<10, 2> | null;
  /** @default 1 @integer @minimum -2147483648 @maximum 2147483647 */
  pages: number;
  /**
   * @index
   * @default "novel"
   */
  kind: "novel" | "poem" | "essay";
  /** @default [] @storedAs array */
  tags: string[];
  details?: unknown;
  cover: Uint8Array | null;
  weight: number | null;
  /** @generated now */
  updatedAt: Date;
}

/** @table branches */
export interface Branch {
  /** @id @generated @storedAs smallint */
  id: number;
  /** @maxLength 80 @unique */
  name: string;
}

/** @table cache */
export interface Cache {
  /** @id */
  key: string;
  value?: unknown;
}

/** @table events */
export interface Event {
  /** @id */
  happened: Date;
  /** @id */
  id: bigint;
  what: string;
}

/** @table loans */
export interface Loan {
  /** @id @references Book.id */
  bookId: bigint;
  /** @references Branch.id on update cascade */
  branch: number;
  /** @id @generated now */
  since: Date;
  /**
   * @storedAs enum loan_state
   * @default "open"
   */
  state: "open" | "returned" | "lost";
  /** @integer @minimum -2147483648 @maximum 2147483647 */
  fee: number | null;
}

/** @table settings */
export interface Settings {
  /** @id */
  name: string;
  value: string | null;
  level: "low" | "high" | null;
}
