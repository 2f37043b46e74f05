import type { Route } from "@kit/types";

/** An account. */
export interface Account {
  id: string;
  /** @integer */
  balance: number;
}

/** Accounts. */
export interface AccountRoutes {
  /**
   * The sum leaves the account at once.
   *
   * @summary Takes money
   * @tag accounts
   * @throws ACCOUNT_NOT_FOUND 404 No account has this id.
   * @throws TOO_LITTLE_MONEY 409 The balance is smaller than the sum.
   */
  "POST /accounts/:id/payouts": Route<{
    params: { id: string };
    body: {
      /** @integer @minimum 1 */
      sum: number;
    };
    response: Account;
  }>;
}
