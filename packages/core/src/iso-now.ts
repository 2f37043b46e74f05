let lastMs = -1;
let lastText = "";

/** The time as ISO 8601. Under load many ask within one millisecond. */
export function isoNow(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}
