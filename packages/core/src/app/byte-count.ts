/** Returns true if a value is a number of bytes for a limit. */
export function isByteCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
