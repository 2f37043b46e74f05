/** The types of bench.types.ts that are measured. */
export type TypeName = "Profile" | "Order" | "Log" | "Payments" | "Contact" | "Articles" | "Message";

/** What is asked of a subject. */
export type Operation = "check" | "explain" | "decode" | "serialize";

/** What a subject can do; what it cannot is absent, and its rows are left out. */
export interface Subject {
  /** Whether a parsed JSON value fits, nothing else. */
  readonly check?: Partial<Record<TypeName, (value: unknown) => boolean>>;
  /** Every failure of a wrong value, each with its path; answers how many. */
  readonly explain?: Partial<Record<TypeName, (value: unknown) => number>>;
  /** A parsed JSON value checked, and freed of undeclared keys; with `Date`s where the type has them. It may change the value. */
  readonly decode?: Partial<Record<TypeName, (value: unknown) => unknown>>;
  /** A handler's value as JSON text. */
  readonly serialize?: Partial<Record<TypeName, (value: unknown) => string>>;
}
