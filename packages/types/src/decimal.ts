/** Mark of {@link Decimal}, which exists only for the type checker. */
declare const decimal: unique symbol;

/**
 * Decimal number as exact text: `"19.90"`. The number has at most `Precision` digits, of which at most `Scale` are after
 * the point, as in `numeric(precision, scale)` of PostgreSQL, which stores the values of an entity. JavaScript's numbers
 * would round such numbers, so handlers receive the text. A text without an exponent, a `+` and needless zeros at its
 * start is valid.
 *
 * A plain string is assignable, so that rows of a database and literals need no cast. A decimal number with other digits is
 * not assignable.
 *
 * @example
 * ```ts
 * interface Invoice {
 *   total: Decimal<12, 2>;
 * }
 *
 * const invoice: Invoice = { total: "19.90" };
 * ```
 */
export type Decimal<Precision extends number, Scale extends number = 0> = string & {
  readonly [decimal]?: [Precision, Scale];
};
