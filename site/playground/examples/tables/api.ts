/**
 * A customer.
 *
 * @table customers
 */
export interface Customer {
  /** @id @generated uuidv7 */
  id: string;
  /** @format email @unique */
  email: string;
  /** @generated now */
  createdAt: Date;
}

/**
 * An order of a customer.
 *
 * @table orders
 * @index by_customer (customerId, createdAt desc)
 * @check positive (total >= 0)
 */
export interface Order {
  /** @id @generated uuidv7 */
  id: string;
  /** @references Customer.id cascade */
  customerId: string;
  /** @integer @minimum 0 */
  total: number;
  /** @storedAs enum order_state @default open */
  state: "open" | "paid" | "sent";
  /** @generated now */
  createdAt: Date;
}
