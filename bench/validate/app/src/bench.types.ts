/**
 * The types that are measured. kit and typia are compiled from this one file; the schemas of the other subjects say the same by hand.
 * Where kit and typia name a rule differently (`@integer` and `@type int64`), both tags stand here.
 */

/** A small flat object, as a form sends it. */
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

/** What an order asks for. */
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

/** An object that holds a hundred others. */
export interface Order {
  /** @maxLength 100 */
  customer: string;
  address: { street: string; city: string; zip: string };
  /** @minItems 1 */
  lines: Line[];
  tags: string[];
}

/** Told apart by a literal. */
export type Event =
  | { kind: "opened"; at: number; by: string }
  | { kind: "moved"; at: number; x: number; y: number }
  | { kind: "renamed"; at: number; from: string; to: string }
  | { kind: "tagged"; at: number; tags: string[] }
  | { kind: "closed"; at: number; reason: string | null };

/** A stream of events. */
export interface Log {
  events: Event[];
}

/** Told apart by which properties are there. */
export type Payment =
  | { cardNumber: string; expires: string; cvc: string }
  | { iban: string; holder: string }
  | { voucher: string };

/** Several ways to pay. */
export interface Payments {
  payments: Payment[];
}

/** Text in four formats. */
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

/** A row with dates, as a handler answers it. */
export interface Article {
  id: string;
  title: string;
  views: number;
  draft: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** A page of rows. */
export interface Articles {
  data: Article[];
  total: number;
}

/** Text that must be escaped. */
export interface Message {
  from: string;
  subject: string;
  body: string;
}
