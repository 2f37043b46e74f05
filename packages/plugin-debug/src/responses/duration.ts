const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Description of the accepted durations, for messages. */
export const durationForm = "a number with s, m, h or d: `30s`, `5m`, `1h`, `24h`";

/** Returns the milliseconds of `30s`, `5m`, `1h`, `24h` or `7d`, or `undefined` if the string is not a valid duration. */
export function readDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const ms = Number(digits) * unitMs[unit]!;
  return ms > 0 ? ms : undefined;
}

/** Formats a duration: `90s`, `5m`, `24h`. */
export function writeDuration(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${Math.round(ms / 1_000)}s`;
}
