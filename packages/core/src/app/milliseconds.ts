/** Maximum delay of a timer in Node, in milliseconds. */
export const longestTimeoutMs: number = 2 ** 31 - 1;

/** Returns true if the value is a whole number of milliseconds that a timer supports. */
export function isMilliseconds(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= longestTimeoutMs;
}
