import type { Route } from "@kit/types";

/** Payment by card. */
export interface Card {
  kind: "card";
  /** @pattern ^[0-9]{4}$ */
  lastDigits: string;
}

/** Payment by bank transfer. */
export interface Transfer {
  kind: "transfer";
  /** @minLength 15 @maxLength 34 */
  iban: string;
}

export type Payment = Card | Transfer;

/** Payments. */
export interface PaymentRoutes {
  /** @summary Pays */
  "POST /payments": Route<{ body: Payment; response: Payment }>;
}
