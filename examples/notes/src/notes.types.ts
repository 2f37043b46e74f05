/**
 * A note and its author.
 *
 * @table notes @owner none
 */
export interface Note {
  /** @id @generated uuid */
  id: string;
  /**
   * The headline.
   *
   * @minLength 1
   * @maxLength 200
   * @example Groceries
   */
  title: string;
  /**
   * The text.
   *
   * @maxLength 10000
   * @example Milk, eggs, flour
   */
  content: string;
  /**
   * Who wrote it: the user of the access token.
   *
   * @maxLength 100
   */
  authorId: string;
  /** @default false */
  archived: boolean;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/** What it takes to make a note. */
export type CreateNoteInput = Omit<Note, "id" | "createdAt" | "updatedAt">;

/** What of a note may change. What is left out stays as it is. */
export type UpdateNoteInput = Partial<Omit<CreateNoteInput, "authorId">>;

/** A note in a list. */
export type NoteSummary = Pick<Note, "id" | "title" | "archived" | "createdAt">;

/** One page of a list. */
export interface PaginatedResponse<T> {
  data: T[];
  pagination: {
    /** How many there are on all pages. @integer @minimum 0 */
    total: number;
    /** Number of this page, from 1. @integer @minimum 1 */
    page: number;
    /** How many fit on a page. @integer @minimum 1 */
    pageSize: number;
    /** Number of pages. @integer @minimum 0 */
    totalPages: number;
  };
}

/** Which page of a list. */
export interface Paging {
  /** Number of the page, from 1; the first one where absent. @integer @minimum 1 */
  page?: number;
  /** How many on a page; 20 where absent. @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}
