import type { Failure, Route } from "@kit/types";
import type { AccountView, Credentials, CurrentSession, Registration } from "./accounts.types.ts";

/** Registration and login. */
export interface LoginRoutes {
  /**
   * The user is logged in afterwards.
   *
   * @summary Creates an account
   */
  "POST /accounts": Route<{
    body: Registration;
    response: AccountView;
    errors: Failure<409, "EMAIL_TAKEN">;
  }>;

  /**
   * @summary Logs in
   * @throws CREDENTIALS_INVALID 401 No account has this address and password.
   */
  "POST /session": Route<{
    body: Credentials;
    response: AccountView;
    errors: Failure<401, "CREDENTIALS_INVALID">;
  }>;
}

/** Session of a visitor. */
export interface SessionRoutes {
  /** @summary Says who is logged in */
  "GET /session": Route<{ response: CurrentSession }>;

  /** @summary Logs out */
  "DELETE /session": Route<{}>;
}
