// Nobody signs in to this API, so every request may read and change every row: `@owner none`.
/**
 * Something that a user is to do.
 *
 * @table todos @owner none
 * @index todos_of_user (userId, createdAt)
 */
export interface Todo {
  /** @id @generated uuid */
  id: string;
  /**
   * @minLength 1
   * @maxLength 200
   * @example Buy milk
   */
  title: string;
  /** @default false */
  completed: boolean;
  /** Whose it is. @references User.id cascade */
  userId: string;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/** What it takes to make a todo. */
export type CreateTodoInput = Omit<Todo, "id" | "createdAt" | "updatedAt">;

/** What of a todo may change: everything but whose it is. */
export type UpdateTodoInput = Partial<Omit<CreateTodoInput, "userId">>;
