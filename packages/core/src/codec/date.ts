/** Number of days of each month in a common year. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** First and last time, in milliseconds since 1970, that RFC 3339 can represent: its years have four digits. */
export const FIRST_TIME = -62_167_219_200_000;
export const LAST_TIME = 253_402_300_799_999;

/**
 * Returns true if a string is an RFC 3339 `full-date`, such as `2026-02-28`.
 *
 * @example
 * ```ts
 * isCalendarDate("2024-02-29"); // true
 * isCalendarDate("2026-02-29"); // false
 * ```
 */
export function isCalendarDate(text: string): boolean {
  return text.length === 10 && isDateAt(text);
}

/**
 * Returns true if a string is an RFC 3339 `date-time`, such as `2026-02-28T23:59:59.5+01:00`. `T` and `Z` may be lower
 * case. A leap second is accepted only in the last minute of a day in UTC.
 *
 * @example
 * ```ts
 * isDateTime("2026-02-28T23:59:59+01:00"); // true
 * isDateTime("2026-02-28"); // false
 * ```
 */
export function isDateTime(text: string): boolean {
  const length = text.length;
  if (length < 20 || !isDateAt(text)) return false;
  const separator = text.charCodeAt(10) | 0x20;
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  if (separator !== 0x74 || text.charCodeAt(13) !== 0x3a || text.charCodeAt(16) !== 0x3a) return false;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return false;
  let index = 19;
  if (text.charCodeAt(index) === 0x2e) {
    index++;
    const first = index;
    while (isDigit(text.charCodeAt(index))) index++;
    if (index === first) return false;
  }
  const offset = offsetAt(text, index);
  if (Number.isNaN(offset)) return false;
  return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 === 1439;
}

/**
 * Returns true if a string is an RFC 3339 `date-time` whose year in UTC has four digits. `9999-12-31T23:59:59-01:00` is
 * in the year 10000 in UTC, which a response could not contain.
 *
 * @example
 * ```ts
 * isTimestamp("2026-02-28T23:59:59Z"); // true
 * isTimestamp("9999-12-31T23:59:59-01:00"); // false
 * ```
 */
export function isTimestamp(text: string): boolean {
  if (!isDateTime(text)) return false;
  const first = text.charCodeAt(0);
  // Only strings that start with 0 or 9 can be outside of the bounds.
  if (first !== 0x30 && first !== 0x39) return true;
  const time = decodeDate(text).getTime();
  return time >= FIRST_TIME && time <= LAST_TIME;
}

/**
 * Decodes a string that {@link isTimestamp} accepts. A leap second becomes the first second of the next day, as in
 * POSIX.
 *
 * @example
 * ```ts
 * decodeDate("1970-01-01T01:00:00+01:00"); // new Date(0)
 * ```
 */
export function decodeDate(text: string): Date {
  if (text.charCodeAt(17) === 0x36) {
    const before = new Date(`${text.slice(0, 17)}59${text.slice(19)}`.toUpperCase());
    return new Date(before.getTime() + 1000);
  }
  return new Date(
    text.charCodeAt(10) === 0x54 && text.charCodeAt(text.length - 1) !== 0x7a ? text : text.toUpperCase(),
  );
}

/** Returns true if the first ten characters are a valid calendar date. */
function isDateAt(text: string): boolean {
  const century = two(text, 0);
  const rest = two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  if (century < 0 || rest < 0 || text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d) return false;
  if (month < 1 || month > 12 || day < 1) return false;
  const year = century * 100 + rest;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && leap ? 29 : (DAYS[month - 1] as number));
}

/**
 * Returns the offset from UTC in minutes. The offset must start at `index` and end the string. Returns `NaN` if it is
 * invalid.
 */
function offsetAt(text: string, index: number): number {
  const sign = text.charCodeAt(index);
  if ((sign | 0x20) === 0x7a) return text.length === index + 1 ? 0 : Number.NaN;
  if ((sign !== 0x2b && sign !== 0x2d) || text.length !== index + 6) return Number.NaN;
  const hour = two(text, index + 1);
  const minute = two(text, index + 4);
  if (text.charCodeAt(index + 3) !== 0x3a || hour < 0 || hour > 23 || minute < 0 || minute > 59)
    return Number.NaN;
  return (sign === 0x2b ? 1 : -1) * (hour * 60 + minute);
}

/** Parses two digits. Returns -1 if they are not digits. */
function two(text: string, index: number): number {
  const tens = text.charCodeAt(index);
  const ones = text.charCodeAt(index + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - 48) * 10 + ones - 48 : -1;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
