/**
 * Something to be done.
 *
 * @table todos
 * @owner userId = ctx.userId
 */
export interface Todo {
  /** @id @generated uuid */
  id: string;
  /**
   * What is to be done.
   *
   * @minLength 1
   * @maxLength 200
   * @example Buy milk
   */
  title: string;
  /** @default false */
  completed: boolean;
  /**
   * Whose it is: the user of the access token.
   *
   * @maxLength 100
   */
  userId: string;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/** What it takes to make a todo. */
export type CreateTodoInput = Omit<Todo, "id" | "userId" | "createdAt" | "updatedAt">;

/** What of a todo may change. What is left out stays as it is. */
export type UpdateTodoInput = Partial<CreateTodoInput>;

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
