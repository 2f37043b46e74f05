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
  /** @storedAs integer */
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
  /** @unique */
  isbn: string | null;
  title: string;
  /**
   * @minimum 0.01 @exclusiveMaximum 1000
   * @default "9.99"
   * @index where price < 5::numeric
   */
  price: Decimal<10, 2> | null;
  /** @default 1 @storedAs integer @exclusiveMinimum 0 */
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
  // search: no property, because it is computed by the database, and a property of an entity can be written.
}

/** @table branches */
export interface Branch {
  /** @id @generated @storedAs smallint */
  id: number;
  /** @maxLength 80 @unique */
  name: string;
  // place: no property, because it has the type `point`, which no type of an entity represents.
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

/**
 * @table loans
 * @index loans_open_branch (branch) where state <> 'returned'::loan_state
 * @index newest_loans (since desc, branch) include (fee)
 * @check fee_or_open (fee IS NOT NULL OR state = 'open'::loan_state)
 */
export interface Loan {
  /**
   * @id @references Book.id
   * @unique where state = 'open'::loan_state
   */
  bookId: bigint;
  /** @references Branch.id on update cascade @index */
  branch: number;
  /** @id @generated now */
  since: Date;
  /**
   * @storedAs enum loan_state
   * @default "open"
   */
  state: "open" | "returned" | "lost";
  /** @storedAs integer */
  fee: number | null;
}

/**
 * @table places
 * @check places_check ((branch IS NULL) = (shelf IS NULL))
 * @references (branch, shelf) Shelf (branch, number) on update cascade
 */
export interface Place {
  /** @id @references Book.id cascade */
  bookId: bigint;
  /** @storedAs smallint */
  branch: number | null;
  /** @storedAs integer */
  shelf: number | null;
  /** @references Shelf.code set null on update cascade */
  formerShelf: string | null;
  pages: string | null;
}

/** @table settings */
export interface Settings {
  /** @id */
  name: string;
  value: string | null;
  level: "low" | "high" | null;
}

/** @table shelves */
export interface Shelf {
  /** @id @references Branch.id */
  branch: number;
  /** @id @storedAs integer @exclusiveMinimum 0 */
  number: number;
  /** @minimum 10 @exclusiveMaximum 400 */
  width: number | null;
  /** @maxLength 20 @minLength 2 @index varchar_pattern_ops */
  label: string;
  /** @unique */
  code: string;
}

// Tables without an entity, whose SQL is in the first migration:
// - events_2026: it is a partition; the entity of the partitioned table reads its rows.
// - without_key: it has neither a primary key nor unique columns that are never null, and an entity needs an `@id`.
