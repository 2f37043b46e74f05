/** Measured types of bench.types.ts. */
export type TypeName = "Profile" | "Order" | "Log" | "Payments" | "Contact" | "Articles" | "Message";

/** Operation of a subject. */
export type Operation = "check" | "explain" | "decode" | "serialize";

/** Operations that a subject supports. Unsupported operations are absent, and their rows are left out. */
export interface Subject {
  /** Returns true if a parsed JSON value is valid. */
  readonly check?: Partial<Record<TypeName, (value: unknown) => boolean>>;
  /** Collects all failures of an invalid value, each with its path. Returns their number. */
  readonly explain?: Partial<Record<TypeName, (value: unknown) => number>>;
  /** Checks a parsed JSON value and removes undeclared keys. Dates become `Date` objects. May change the value. */
  readonly decode?: Partial<Record<TypeName, (value: unknown) => unknown>>;
  /** Serializes a handler's value to JSON. */
  readonly serialize?: Partial<Record<TypeName, (value: unknown) => string>>;
}
