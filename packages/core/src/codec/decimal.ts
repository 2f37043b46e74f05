/** Decimal numbers as text, which are compared without rounding. */

/** More digits than a decimal number with bounds has. The bound also limits the time of a comparison. */
const NUMBER = /^-?[0-9]{1,40}(?:\.[0-9]{1,40})?$/;

/**
 * Compares two decimal numbers. Returns a negative number if the first one is less, and a positive number if it is greater. Returns
 * `undefined` if a text is not a number with at most 40 digits on each side of the point.
 *
 * @example
 * ```ts
 * compareDecimals("9.50", "10"); // -1
 * ```
 */
export function compareDecimals(one: string, other: string): number | undefined {
  if (!NUMBER.test(one) || !NUMBER.test(other)) return undefined;
  const digits = Math.max(fractionOf(one).length, fractionOf(other).length);
  const difference = scaled(one, digits) - scaled(other, digits);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

function fractionOf(text: string): string {
  return text.split(".")[1] ?? "";
}

/** Returns a number in units of its last digit: 150n for `1.5` with two digits after the point. */
function scaled(text: string, digits: number): bigint {
  return BigInt(text.split(".")[0]! + fractionOf(text).padEnd(digits, "0"));
}
