/**
 * A note.
 *
 * @table notes
 */
export interface Note {
  /** @id @generated uuid */
  id: string;
  /** The headline. @minLength 1 @maxLength 200 */
  title: string;
  /** @maxLength 10000 */
  content: string;
  /** @maxLength 100 */
  authorId: string;
  /** @default false */
  archived: boolean;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

export type CreateNoteInput = Omit<Note, "id" | "createdAt" | "updatedAt">;
export type UpdateNoteInput = Partial<Omit<CreateNoteInput, "authorId">>;
export type NoteSummary = Pick<Note, "id" | "title" | "archived" | "createdAt">;

export interface PaginatedResponse<T> {
  data: T[];
  pagination: {
    total: number;
    page: number;
    pageSize: number;
    totalPages: number;
  };
}

export interface Paging {
  /** @integer @minimum 1 */
  page?: number;
  /** @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}
