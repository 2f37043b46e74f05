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
   * @minLength 1
   * @maxLength 100
   * @example jake
   */
  username: string;
  /**
   * @unique
   * @minLength 1
   * @maxLength 254
   * @format email
   */
  email: string;
  /**
   * Argon2id hash of the password.
   *
   * @sensitive
   */
  passwordHash: string;
  /** @maxLength 10000 */
  bio: string | null;
  /** @maxLength 2000 */
  image: string | null;
}

/**
 * An account that follows the articles of another one.
 *
 * @table follows @owner none
 */
export interface Follow {
  /** @id @references Account.id cascade */
  followerId: string;
  /** @id @references Account.id cascade @index */
  followedId: string;
}

/** Password as the user enters it. */
export interface Password {
  /**
   * @sensitive
   * @minLength 1
   * @maxLength 200
   */
  password: string;
}

/** Values of a new account. */
export type Registration = Pick<Account, "username" | "email"> & Password;

/** Values that a user enters to log in. */
export type Login = Password & {
  /** @minLength 1 */
  email: string;
};

/** Changes of the own account. An omitted property stays unchanged. An empty `bio` or `image` becomes `null`. */
export type AccountChanges = Partial<Pick<Account, "username" | "email" | "bio" | "image"> & Password>;

/** The account of the user who is logged in. */
export type CurrentUser = Pick<Account, "username" | "email" | "bio" | "image"> & {
  /** Token for the header `authorization: Bearer <token>`. */
  token: string;
};

export type UserResponse = { user: CurrentUser };

/** Account as other users see it. */
export type Profile = Pick<Account, "username" | "bio" | "image"> & {
  /** True if the user who asks follows this account. */
  following: boolean;
};

export type ProfileResponse = { profile: Profile };
