/**
 * Returns true if a string has `min` to `max` Unicode code points, as JSON Schema counts them.
 *
 * A string of `n` UTF-16 code units has at least `n / 2` and at most `n` code points, so for most strings the code
 * points need not be counted.
 *
 * @example
 * ```ts
 * codePointsWithin("😀", 1, 1); // true
 * codePointsWithin("", 1, 5); // false
 * ```
 */
export function codePointsWithin(text: string, min: number, max: number): boolean {
  const units = text.length;
  if (units < min || units > max * 2) return false;
  if (units >= min * 2 && units <= max) return true;
  const count = countCodePoints(text);
  return count >= min && count <= max;
}

/** Returns the number of code points. An unpaired surrogate counts as one code point. */
export function countCodePoints(text: string): number {
  const units = text.length;
  let count = units;
  for (let index = 0; index < units - 1; index++) {
    if (isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))) {
      count--;
      index++;
    }
  }
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}
