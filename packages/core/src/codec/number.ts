/**
 * Returns true if a number is a multiple of another number in decimal: `0.3` is a multiple of `0.1`, although the
 * quotient of the two binary fractions is not an integer.
 *
 * @example
 * ```ts
 * isMultipleOf(0.3, 0.1); // true
 * isMultipleOf(7, 2); // false
 * ```
 */
export function isMultipleOf(value: number | bigint, divisor: number): boolean {
  if (typeof value === "number" && Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) {
    return value % divisor === 0;
  }
  const dividend = decimal(value);
  const step = decimal(divisor);
  const exponent = Math.min(dividend.exponent, step.exponent);
  const scaled = dividend.digits * 10n ** BigInt(dividend.exponent - exponent);
  return scaled % (step.digits * 10n ** BigInt(step.exponent - exponent)) === 0n;
}

/** Returns the number as `digits * 10 ** exponent`, exactly as in its shortest decimal string. */
function decimal(value: number | bigint): { readonly digits: bigint; readonly exponent: number } {
  if (typeof value === "bigint") return { digits: value, exponent: 0 };
  const [mantissa = "0", power = "0"] = value.toString().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
