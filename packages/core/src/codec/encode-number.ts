/** Decimals for 0 to 999 thousandths, without trailing zeros: `""`, `.001` … `.5` … `.999`. */
const FRACTIONS: readonly string[] = Array.from({ length: 1000 }, (_, index) =>
  index === 0 ? "" : `.${`${index}`.padStart(3, "0").replace(/0+$/, "")}`,
);

/**
 * Formats a finite number exactly as JavaScript does. `-0` becomes `0`.
 *
 * JavaScript engines are slow at finding the shortest string of a fraction. Prices and measures have few
 * decimals, so for a number of whole thousandths the string is made from the thousandths: 1250 thousandths
 * give `1.25`. This is the shortest string, because two different strings of at most fifteen digits never
 * represent the same number.
 */
export function encodeNumber(number: number): string {
  if ((number | 0) === number) return `${number}`;
  if (number > 0 && number < 1e9) {
    const thousandths = Math.round(number * 1000);
    if (thousandths / 1000 === number) {
      const whole = number | 0;
      return `${whole}${FRACTIONS[thousandths - whole * 1000] as string}`;
    }
  }
  return `${number}`;
}
