import type { NumberShape } from "./shape.ts";

/**
 * Matches an optional `-` and digits. `BigInt` would also accept spaces, `0x` and an empty string, which are not
 * numbers on the wire.
 */
const DIGITS = /^-?[0-9]+$/;

/**
 * Maximum number of characters of a bigint on the wire. No database column or protocol needs more. The conversion is
 * slower than linear, so without the limit a client could block the server.
 */
export const MAX_BIGINT_CHARACTERS = 1000;

/**
 * Returns true if a wire value is a bigint: a string of decimal digits, or a safe integer.
 *
 * @example
 * ```ts
 * isBigIntText("-12"); // true
 * isBigIntText("0x10"); // false
 * ```
 */
export function isBigIntText(value: unknown): boolean {
  return typeof value === "string"
    ? value.length <= MAX_BIGINT_CHARACTERS && DIGITS.test(value)
    : Number.isSafeInteger(value);
}

/**
 * Converts a wire value that {@link isBigIntText} accepts.
 *
 * @example
 * ```ts
 * toBigInt("-12"); // -12n
 * ```
 */
export function toBigInt(value: unknown): bigint {
  return BigInt(value as string | number);
}

/**
 * Returns true if the bigint of a wire value is within inclusive bounds. `±Infinity` means no bound.
 *
 * @example
 * ```ts
 * bigintWithin("7", 0, 10); // true
 * bigintWithin("7", -Infinity, 5); // false
 * ```
 */
export function bigintWithin(value: unknown, min: number, max: number): boolean {
  const number = toBigInt(value);
  return number >= min && number <= max;
}

/** 2^63, the exclusive upper bound of a `bigint` column in PostgreSQL. */
export const COLUMN_LIMIT: number = 2 ** 63;

/** Returns true if the bounds of a bigint type equal the bounds of a `bigint` column in PostgreSQL. */
export function isBigIntColumn({ kind, minimum, exclusiveMaximum }: NumberShape): boolean {
  return kind === "bigint" && minimum === -COLUMN_LIMIT && exclusiveMaximum === COLUMN_LIMIT;
}
