let lastMs = -1;
let lastText = "";

/**
 * Returns the current time in ISO 8601. The string is cached, because under load many calls occur in the same
 * millisecond.
 */
export function isoNow(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}
