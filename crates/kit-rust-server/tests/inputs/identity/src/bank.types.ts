/** @table accounts @owner none */
export interface Account {
  /** @id @maxLength 40 */
  owner: string;
  /** @integer @minimum 0 @maximum 1000000000 */
  cents: number;
}

/** @table bookings @owner none */
export interface Booking {
  /** @id @generated uuid */
  id: string;
  /** @references Account.owner */
  account: string;
  /** @integer @minimum -1000000000 @maximum 1000000000 */
  cents: number;
}

export interface Transfer {
  /** @maxLength 40 */
  from: string;
  /** @maxLength 40 */
  to: string;
  /** @integer @minimum 1 @maximum 1000000000 */
  cents: number;
}
