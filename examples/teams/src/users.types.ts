// Nobody signs in to this API, so every request may read and change every row: `@owner none`.
/**
 * Someone who has todos and belongs to teams.
 *
 * @table users @owner none
 */
export interface User {
  /** @id @generated uuid */
  id: string;
  /**
   * No two users have the same.
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

/** What it takes to make a user. */
export type CreateUserInput = Omit<User, "id" | "createdAt" | "updatedAt">;

/** What of a user may change. What is left out stays as it is. */
export type UpdateUserInput = Partial<CreateUserInput>;
