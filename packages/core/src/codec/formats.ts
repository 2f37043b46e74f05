import { isCalendarDate, isDateTime } from "./date.ts";
import { isEmail } from "./email.ts";
import { isIpv4, isIpv6 } from "./ip.ts";
import type { FormatName } from "./shape.ts";
import { isUri } from "./uri.ts";

/**
 * Matches a UUID. Each digit is a separate character class, because V8 compiles a counted class (`{8}`) to a loop. The
 * loop takes four times as long as thirty-two consecutive tests.
 */
const UUID = uuidPattern();

const FORMATS: Readonly<Record<FormatName, (text: string) => boolean>> = {
  email: isEmail,
  uri: isUri,
  uuid: isUuid,
  date: isCalendarDate,
  "date-time": isDateTime,
  ipv4: isIpv4,
  ipv6: isIpv6,
};

/** Returns true if a string has the given format. */
export function hasFormat(format: FormatName, text: string): boolean {
  return FORMATS[format](text);
}

/**
 * Returns true if a string satisfies `@format uuid`: the text form of RFC 9562, section 4, in upper or lower case and
 * of any version, such as `123e4567-e89b-12d3-a456-426614174000`.
 *
 * @example
 * ```ts
 * isUuid("123e4567-e89b-12d3-a456-426614174000"); // true
 * isUuid("123e4567"); // false
 * ```
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

function uuidPattern(): RegExp {
  const groups = [8, 4, 4, 4, 12].map((digits) => "[0-9A-Fa-f]".repeat(digits));
  return new RegExp(`^${groups.join("-")}$`);
}
