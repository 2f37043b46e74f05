/** @table payments @owner none */
export interface Payment {
  /** Has the type that the Rust server reads. @id @integer @storedAs integer @generated */
  id: number;
  text: string;
  /** Server that stored the payment. The Rust server leaves the default. @default "rust" */
  source: "node" | "rust";
  /** True if the job of the payment exists. @default false */
  hasJob: boolean;
}

/**
 * Execution of the job of a payment.
 *
 * @table settlements @owner none
 */
export interface Settlement {
  /** @id @integer @generated */
  id: number;
  /** @integer @storedAs integer @index */
  payment: number;
  job: string;
  /** @integer */
  attempt: number;
}

/** Payment that a client sends, or its confirmation. */
export interface PaymentText {
  text: string;
}
