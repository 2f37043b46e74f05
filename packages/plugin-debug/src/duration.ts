const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** What a duration looks like, for messages. */
export const durationForm = "a number with s, m, h or d: `30s`, `5m`, `1h`, `24h`";

/** Milliseconds of `30s`, `5m`, `1h`, `24h`, `7d`; nothing where a text is no duration. */
export function readDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const ms = Number(digits) * unitMs[unit]!;
  return ms > 0 ? ms : undefined;
}

/** A duration as text: `90s`, `5m`, `24h`. */
export function writeDuration(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${Math.round(ms / 1_000)}s`;
}
