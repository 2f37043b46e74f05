import type { NumberShape } from "./shape.ts";

/** `-` and digits, nothing else: what `BigInt` would also take (spaces, `0x`, an empty text) is no number on the wire. */
const DIGITS = /^-?[0-9]+$/;

/**
 * Greatest length of a bigint's text, which no database column or protocol needs. The bound keeps the conversion, which is slower than
 * linear, from being a way to stop a server.
 */
export const MAX_BIGINT_CHARACTERS = 1000;

/** Whether a wire value is a bigint: a text of decimal digits, or an integer number that is exact. */
export function isBigIntText(value: unknown): boolean {
  return typeof value === "string"
    ? value.length <= MAX_BIGINT_CHARACTERS && DIGITS.test(value)
    : Number.isSafeInteger(value);
}

/** The bigint of a wire value that {@link isBigIntText} took. */
export function toBigInt(value: unknown): bigint {
  return BigInt(value as string | number);
}

/** Whether the bigint of a wire value lies within bounds; `±Infinity` for none. Inclusive. */
export function bigintWithin(value: unknown, min: number, max: number): boolean {
  const number = toBigInt(value);
  return number >= min && number <= max;
}

/** 2^63, which a `bigint` of PostgreSQL stays below. */
export const COLUMN_LIMIT: number = 2 ** 63;

/** Returns true if the bounds of a bigint are those of the column that stores it. */
export function isBigIntColumn({ kind, minimum, exclusiveMaximum }: NumberShape): boolean {
  return kind === "bigint" && minimum === -COLUMN_LIMIT && exclusiveMaximum === COLUMN_LIMIT;
}
