/**
 * Person who can log in. The API returns only parts of it.
 *
 * @table accounts @owner none
 */
export interface Account {
  /** @id @generated uuid */
  id: string;
  /**
   * @unique
   * @maxLength 254
   * @format email
   * @example ada@example.com
   */
  email: string;
  /**
   * @minLength 1
   * @maxLength 100
   * @example Ada Lovelace
   */
  name: string;
  /**
   * Hash of the password.
   *
   * @sensitive
   */
  passwordHash: string;
  /** @default customer */
  role: Role;
  /** @generated now */
  createdAt: Date;
}

/** Role of an account, which `src/auth.ts` translates to scopes. */
export type Role = "customer" | "staff" | "blocked";

/** Account as its owner sees it. */
export type AccountView = Pick<Account, "name" | "email" | "role">;

/** Password as the user enters it. */
export interface Password {
  /**
   * @minLength 8
   * @maxLength 200
   * @sensitive
   * @example correct horse battery
   */
  password: string;
}

/** Values of a new account. */
export type Registration = Pick<Account, "name" | "email"> & Password;

/** Values with which a user logs in. */
export type Credentials = Pick<Account, "email"> & Password;

/** State of a visitor. */
export interface CurrentSession {
  /** Account of the session. `null` if the visitor is not logged in. */
  account: AccountView | null;
}
