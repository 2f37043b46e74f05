/**
 * Measured types. kit and typia are compiled from this file; the schemas of the other subjects are handwritten equivalents. If kit and
 * typia use different tags for a rule (`@integer` and `@type int64`), the types have the tags of both tools.
 */

/** Small flat object, like the data of a form. */
export interface Profile {
  /**
   * @minimum 1
   * @integer
   * @type int64
   */
  id: number;
  /**
   * @minLength 1
   * @maxLength 100
   */
  name: string;
  active: boolean;
  score: number;
  role: "admin" | "editor" | "reader";
  /** @maxLength 500 */
  note?: string;
}

/** Line of an order. */
export interface Line {
  /**
   * @minLength 1
   * @maxLength 40
   */
  sku: string;
  /**
   * @minimum 1
   * @maximum 1000
   * @integer
   * @type int64
   */
  quantity: number;
  /** @minimum 0 */
  price: number;
  comment: string | null;
  options: { size: "S" | "M" | "L"; gift: boolean };
}

/** Object with a hundred nested objects. */
export interface Order {
  /** @maxLength 100 */
  customer: string;
  address: { street: string; city: string; zip: string };
  /** @minItems 1 */
  lines: Line[];
  tags: string[];
}

/** Union with a tag property. */
export type Event =
  | { kind: "opened"; at: number; by: string }
  | { kind: "moved"; at: number; x: number; y: number }
  | { kind: "renamed"; at: number; from: string; to: string }
  | { kind: "tagged"; at: number; tags: string[] }
  | { kind: "closed"; at: number; reason: string | null };

/** List of events. */
export interface Log {
  events: Event[];
}

/** Union whose members have different properties. */
export type Payment =
  | { cardNumber: string; expires: string; cvc: string }
  | { iban: string; holder: string }
  | { voucher: string };

/** List of payments. */
export interface Payments {
  payments: Payment[];
}

/** Strings in four formats. */
export interface Contact {
  /** @format uuid */
  id: string;
  /** @format email */
  email: string;
  /** @format date-time */
  joined: string;
  /** @format ipv4 */
  address: string;
}

/** Row with dates, as a handler returns it. */
export interface Article {
  id: string;
  title: string;
  views: number;
  draft: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Page of rows. */
export interface Articles {
  data: Article[];
  total: number;
}

/** Strings that must be escaped. */
export interface Message {
  from: string;
  subject: string;
  body: string;
}
