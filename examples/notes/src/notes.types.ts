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
   * Author of the note: the user of the access token.
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

/** Values of a new note. */
export type CreateNoteInput = Omit<Note, "id" | "createdAt" | "updatedAt">;

/** Changes of a note. An omitted property stays unchanged. */
export type UpdateNoteInput = Partial<Omit<CreateNoteInput, "authorId">>;

/** A note in a list. */
export type NoteSummary = Pick<Note, "id" | "title" | "archived" | "createdAt">;

/** One page of a list. */
export interface PaginatedResponse<T> {
  data: T[];
  pagination: {
    /** Number of entries on all pages. @integer @minimum 0 */
    total: number;
    /** Number of this page, from 1. @integer @minimum 1 */
    page: number;
    /** Maximum number of entries on a page. @integer @minimum 1 */
    pageSize: number;
    /** Number of pages. @integer @minimum 0 */
    totalPages: number;
  };
}

/** Choice of a page of a list. */
export interface Paging {
  /** Number of the page, from 1. The default is the first page. @integer @minimum 1 */
  page?: number;
  /** Maximum number of entries on a page. The default is 20. @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}
