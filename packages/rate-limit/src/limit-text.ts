const units = { s: 1000, sec: 1000, min: 60_000, h: 3_600_000, hour: 3_600_000, day: 86_400_000 } as const;

type Unit = keyof typeof units;

/** Limit as text: a number of requests in a time, such as `100/min`, `5/10s` or `1000/day`. */
export type LimitText = `${number}/${Unit}` | `${number}/${number}${Unit}`;

/** Number of requests and window in milliseconds of a limit such as `100/min`. */
export interface Limit {
  readonly requests: number;
  readonly windowMs: number;
}

/** Maximum number of requests. Valkey counts exactly up to this number. */
const mostRequests = 1_000_000_000;
const longestWindowMs = 31 * units.day;

/**
 * Reads a limit such as `100/min`.
 *
 * @throws {TypeError} If the text has another form, or a number is not in its range.
 */
export function readLimit(text: string): Limit {
  const [, requests, times, unit] =
    /^([1-9]\d{0,9})\/([1-9]\d{0,6})?(s|sec|min|h|hour|day)$/.exec(text) ?? [];
  const limit = {
    requests: Number(requests),
    windowMs: Number(times ?? 1) * (units[unit as Unit] ?? Number.NaN),
  };
  if (limit.requests <= mostRequests && limit.windowMs <= longestWindowMs) return limit;
  throw new TypeError(
    `rateLimit: \`limit\` must be a number of requests up to ${mostRequests} in a time up to 31 days, such as "100/min", "5/10s" or "1000/day", not ${JSON.stringify(text)}`,
  );
}
