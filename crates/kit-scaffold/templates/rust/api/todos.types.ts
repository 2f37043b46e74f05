/**
 * A task.
 *
 * @table todos
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
  /** @generated now */
  createdAt: Date;
}

/** Values of a new todo. */
export type CreateTodoInput = Omit<Todo, "id" | "createdAt">;

/** Values of a todo that may change. An omitted value stays unchanged. */
export type UpdateTodoInput = Partial<CreateTodoInput>;
