/** Returns true if a value is a whole number that can be a limit in bytes. */
export function isByteCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
