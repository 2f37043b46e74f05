/** @table payments */
export interface Payment {
  /** @id @integer @generated */
  id: number;
  text: string;
}

/** Payment that a client sends, or its confirmation. */
export interface PaymentText {
  text: string;
}

/** Number of a payment. */
export interface PaymentNumber {
  /** @integer */
  id: number;
}
