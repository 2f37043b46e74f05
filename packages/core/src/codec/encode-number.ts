/** `""`, `.001` … `.5` … `.999`: thousandths without zeros at the end. */
const FRACTIONS: readonly string[] = Array.from({ length: 1000 }, (_, index) =>
  index === 0 ? "" : `.${`${index}`.padStart(3, "0").replace(/0+$/, "")}`,
);

/**
 * The text of a finite number, exactly as JavaScript writes it; `-0` is `0`.
 *
 * Finding the shortest text of a fraction costs the engine more than all the rest of a row. Prices and measures have few decimals:
 * where a number is a whole count of thousandths, its text is the count's. It is the shortest one, because no two texts of at
 * most fifteen digits are read as the same number.
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
