/**
 * A task of a user.
 *
 * @table todos
 * @owner userId = ctx.userId
 */
export interface Todo {
  /** @id @generated uuid */
  id: string;
  /**
   * Task, in a few words.
   *
   * @minLength 1
   * @maxLength 200
   * @example Buy milk
   */
  title: string;
  /** @default false */
  completed: boolean;
  /**
   * Owner: the user of the access token.
   *
   * @maxLength 100
   */
  userId: string;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/** Values of a new todo. */
export type CreateTodoInput = Omit<Todo, "id" | "userId" | "createdAt" | "updatedAt">;

/** Values of a todo that may change. An omitted value stays unchanged. */
export type UpdateTodoInput = Partial<CreateTodoInput>;

/** One page of a list. */
export interface PaginatedResponse<T> {
  data: T[];
  pagination: {
    /** Number of items on all pages. @integer @minimum 0 */
    total: number;
    /** Number of this page, from 1. @integer @minimum 1 */
    page: number;
    /** Maximum number of items on a page. @integer @minimum 1 */
    pageSize: number;
    /** Number of pages. @integer @minimum 0 */
    totalPages: number;
  };
}

/** Selects a page of a list. */
export interface Paging {
  /** Number of the page, from 1. The default is 1. @integer @minimum 1 */
  page?: number;
  /** Maximum number of items on the page. The default is 20. @integer @minimum 1 @maximum 100 */
  pageSize?: number;
}
