/** Name of a measured type in bench.types.ts. */
export type TypeName = "Profile" | "Order" | "Log" | "Payments" | "Contact" | "Articles" | "Message";

/** Operation that is measured. */
export type Operation = "check" | "explain" | "decode" | "serialize";

/** Operations that a subject supports, by type. An operation that is absent has no result in the table. */
export interface Subject {
  /** Returns true if a value from `JSON.parse` is valid. */
  readonly check?: Partial<Record<TypeName, (value: unknown) => boolean>>;
  /** Collects all failures of an invalid value, each with the path of the invalid part. Returns their number. */
  readonly explain?: Partial<Record<TypeName, (value: unknown) => number>>;
  /**
   * Checks a value from `JSON.parse` and removes undeclared properties. Strings of dates become `Date` objects. May change the given value.
   */
  readonly decode?: Partial<Record<TypeName, (value: unknown) => unknown>>;
  /** Serializes a value that a handler returns to JSON. */
  readonly serialize?: Partial<Record<TypeName, (value: unknown) => string>>;
}
