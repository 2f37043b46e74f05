import type { Operation, TypeName } from "./subject.ts";
import { articles, contacts, logs, messages, orders, payments, profiles, withUnknownKeys } from "./values.ts";

/** Operation that is measured, with its values. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly type: TypeName;
  readonly operation: Operation;
  /** Values that the operation is called with in turn. */
  readonly values: readonly unknown[];
  /** Result that `check` must return. */
  readonly fits?: boolean;
  /** Number of invalid places in each value. Every subject must report at least that many failures for `explain`. */
  readonly failures?: number;
  /** Results that `decode` must return. */
  readonly decoded?: readonly unknown[];
}

/** Returns copies of values as `JSON.parse` creates them. */
function parsed<T>(values: readonly T[]): T[] {
  return values.map((value) => JSON.parse(JSON.stringify(value)) as T);
}

function withLines(change: (line: object, index: number) => object): unknown[] {
  return orders.map((order) => ({ ...order, lines: (order["lines"] as object[]).map(change) }));
}

const wrongProfile = { id: "1", name: "", active: "yes", score: null, role: "owner", note: 5 };

/** Scenarios in the order of the table. */
export const scenarios: readonly Scenario[] = [
  {
    name: "check-small",
    about: "a flat object of five or six properties",
    type: "Profile",
    operation: "check",
    values: parsed(profiles),
    fits: true,
  },
  {
    name: "check-nested",
    about: "an array of 100 objects, each with an object inside",
    type: "Order",
    operation: "check",
    values: parsed(orders),
    fits: true,
  },
  {
    name: "check-union",
    about: "20 members of a union of five objects, told apart by a literal",
    type: "Log",
    operation: "check",
    values: parsed(logs),
    fits: true,
  },
  {
    name: "check-keys",
    about: "20 members of a union of three objects, told apart by their keys",
    type: "Payments",
    operation: "check",
    values: parsed(payments),
    fits: true,
  },
  {
    name: "check-formats",
    about: "uuid, email, date-time and ipv4",
    type: "Contact",
    operation: "check",
    values: parsed(contacts),
    fits: true,
  },
  {
    name: "reject-first",
    about: "the first property is wrong; a yes or no",
    type: "Profile",
    operation: "check",
    values: parsed(profiles.map((profile) => ({ ...profile, id: "7" }))),
    fits: false,
  },
  {
    name: "reject-deep",
    about: "the last of 100 lines is wrong inside; a yes or no",
    type: "Order",
    operation: "check",
    values: parsed(
      withLines((line, index) => (index < 99 ? line : { ...line, options: { size: "XL", gift: true } })),
    ),
    fits: false,
  },
  {
    name: "explain-first",
    about: "the first property is wrong; a list of failures",
    type: "Profile",
    operation: "explain",
    values: parsed(profiles.map((profile) => ({ ...profile, id: "7" }))),
    failures: 1,
  },
  {
    name: "explain-deep",
    about: "the last of 100 lines is wrong inside; a list of failures",
    type: "Order",
    operation: "explain",
    values: parsed(withLines((line, index) => (index < 99 ? line : { ...line, quantity: 0 }))),
    failures: 1,
  },
  {
    name: "explain-all",
    about: "six properties are wrong; a list of all six",
    type: "Profile",
    operation: "explain",
    values: parsed(profiles.map((profile) => ({ ...profile, ...wrongProfile }))),
    failures: 6,
  },
  {
    name: "decode-small",
    about: "a flat object with three unknown keys, which must go",
    type: "Profile",
    operation: "decode",
    values: parsed(profiles.map(withUnknownKeys)),
    decoded: parsed(profiles),
  },
  {
    name: "decode-nested",
    about: "100 objects with three unknown keys each, which must go",
    type: "Order",
    operation: "decode",
    values: parsed(withLines(withUnknownKeys)),
    decoded: parsed(orders),
  },
  {
    name: "decode-dates",
    about: "20 rows with two dates each: text becomes `Date`",
    type: "Articles",
    operation: "decode",
    values: parsed(articles),
    decoded: articles,
  },
  {
    name: "serialize-small",
    about: "a flat object of five or six properties",
    type: "Profile",
    operation: "serialize",
    values: profiles,
  },
  {
    name: "serialize-nested",
    about: "an array of 100 objects, each with an object inside",
    type: "Order",
    operation: "serialize",
    values: orders,
  },
  {
    name: "serialize-dates",
    about: "20 rows with two dates each",
    type: "Articles",
    operation: "serialize",
    values: articles,
  },
  {
    name: "serialize-escapes",
    about: "three texts, all with quotes or line breaks",
    type: "Message",
    operation: "serialize",
    values: messages,
  },
];
