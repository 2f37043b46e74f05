// Every caller may read all rows, and callers with the scope `users:write` may change all of them: `@owner none`.
/**
 * Person with todos and teams.
 *
 * @table users @owner none
 */
export interface User {
  /** @id @generated uuid */
  id: string;
  /**
   * Unique among all users.
   *
   * @format email
   * @maxLength 255
   * @unique
   * @example ada@example.com
   */
  email: string;
  /**
   * @minLength 2
   * @maxLength 100
   * @example Ada Lovelace
   */
  displayName: string;
  /** @default active */
  status: UserStatus;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

export type UserStatus = "active" | "suspended" | "deleted";

/** Values of a new user. */
export type CreateUserInput = Omit<User, "id" | "createdAt" | "updatedAt">;

/** Changes of a user. An omitted property stays unchanged. */
export type UpdateUserInput = Partial<CreateUserInput>;
