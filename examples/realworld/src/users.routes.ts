import type { RouteContract } from "@kit/types";
import type {
  AccountChanges,
  Login,
  Profile,
  ProfileResponse,
  Registration,
  UserResponse,
} from "./users.types.ts";

/** Registration and login. */
export interface LoginRoutes {
  /**
   * @summary Creates an account
   * @throws USERNAME_TAKEN 409 Another account has this name.
   * @throws EMAIL_TAKEN 409 Another account has this address.
   */
  "POST /users": RouteContract<void, void, { user: Registration }, UserResponse>;

  /**
   * @summary Logs in
   * @status 200
   * @throws CREDENTIALS_INVALID 401 No account has this address and password.
   */
  "POST /users/login": RouteContract<void, void, { user: Login }, UserResponse>;
}

/** The account of the user who is logged in. */
export interface UserRoutes {
  /** @summary Reads the own account */
  "GET /user": RouteContract<void, void, void, UserResponse>;

  /**
   * @summary Changes the own account
   * @throws USERNAME_TAKEN 409 Another account has this name.
   * @throws EMAIL_TAKEN 409 Another account has this address.
   */
  "PUT /user": RouteContract<void, void, { user: AccountChanges }, UserResponse>;
}

type Named = { username: Profile["username"] };

/** Profiles of all accounts. */
export interface ProfileRoutes {
  /**
   * @summary Reads a profile
   * @throws PROFILE_NOT_FOUND 404 No account has this name.
   */
  "GET /profiles/:username": RouteContract<Named, void, void, ProfileResponse>;
}

/** The accounts that a user follows. */
export interface FollowRoutes {
  /**
   * @summary Follows an account
   * @status 200
   * @throws PROFILE_NOT_FOUND 404 No account has this name.
   */
  "POST /profiles/:username/follow": RouteContract<Named, void, void, ProfileResponse>;

  /**
   * @summary Stops following an account
   * @throws PROFILE_NOT_FOUND 404 No account has this name.
   */
  "DELETE /profiles/:username/follow": RouteContract<Named, void, void, ProfileResponse>;
}
