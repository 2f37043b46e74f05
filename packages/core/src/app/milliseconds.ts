/** What a timer of Node can wait. */
export const longestTimeoutMs: number = 2 ** 31 - 1;

/** Whether a timer can wait that long. */
export function isMilliseconds(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= longestTimeoutMs;
}
