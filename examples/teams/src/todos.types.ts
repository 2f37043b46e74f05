// Every caller may read all rows, and callers with the scope `todos:write` may change all of them: `@owner none`.
/**
 * Task of a user.
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
  /** Owner of the todo. @references User.id cascade */
  userId: string;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/** Values of a new todo. */
export type CreateTodoInput = Omit<Todo, "id" | "createdAt" | "updatedAt">;

/** Changes of a todo. The owner cannot change. */
export type UpdateTodoInput = Partial<Omit<CreateTodoInput, "userId">>;
