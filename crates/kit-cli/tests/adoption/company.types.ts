/** @table Sales.Order */
export interface SalesOrder {
  /** @id @generated uuid */
  id: string;
  /** @references BillingInvoice.id @index */
  invoiceId: bigint;
  /** @references SalesOrder.id */
  parent: string | null;
  /** @storedAs date */
  shipped: string | null;
}

/**
 * Bills of the accounting.
 *
 * @table billing.invoices
 * @check paid_or_open (total::integer > 0 OR state = 'open'::billing.invoice_state)
 */
export interface BillingInvoice {
  /** @id @generated */
  id: bigint;
  /** @references User.id cascade @index */
  userId: bigint;
  /**
   * @maxLength 20 @unique
   * @index where state = 'open'::billing.invoice_state
   */
  number: string;
  /** @default "open" */
  state: "open" | "paid" | "lost";
  /**
   * In cents.
   *
   * @storedAs integer
   */
  total: number;
  /** @generated now */
  changedAt: Date;
}

/** @table invoices */
export interface Invoice {
  /** @id @generated uuid */
  id: string;
  /** @references BillingInvoice.id set null @index */
  bill: bigint | null;
  /** @unique */
  number: string;
}

/** @table users */
export interface User {
  /** @id @generated */
  id: bigint;
  /** @storedAs citext @unique */
  email: string;
  /** @maxLength 80 */
  name: string;
}

// Tables without an entity, whose SQL is in the first migration:
// - "billing.notes": `@table` cannot express its name.
// - billing."old.notes": `@table` cannot express its name.
