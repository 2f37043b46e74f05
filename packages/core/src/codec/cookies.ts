import { trimmed } from "./trim.ts";

/**
 * Reads the declared cookies from the value of the header `cookie`. The result has one value for each of `names`, and
 * the first cookie of a name counts. Other cookies are ignored.
 *
 * Values are percent-decoded if that succeeds, because `ctx.cookie` encodes characters that a cookie cannot contain.
 * Double quotes around a value stay: browsers send a value as the server wrote it (RFC 6265bis, sections 5.6 and 5.8.3),
 * so that quotes are a part of it.
 *
 * @example
 * ```ts
 * readCookies('sid=a%20b; theme="dark"; sid=c', ["sid", "theme", "lang"]); // ["a b", '"dark"', undefined]
 * ```
 */
export function readCookies(header: string | undefined, names: readonly string[]): (string | undefined)[] {
  const values: (string | undefined)[] = [];
  for (let index = 0; index < names.length; index++) values.push(undefined);
  if (header === undefined) return values;
  for (let start = 0; start < header.length;) {
    const semicolon = header.indexOf(";", start);
    const end = semicolon < 0 ? header.length : semicolon;
    const equals = equalsSign(header, start, end);
    // A cookie without `=` has no name.
    if (equals >= 0) {
      const index = names.indexOf(trimmed(header, start, equals));
      if (index >= 0) values[index] ??= decodeCookie(trimmed(header, equals + 1, end));
    }
    start = end + 1;
  }
  return values;
}

/**
 * Returns the position of the first `=` of a cookie, or -1. Does not search beyond the end of the cookie, so
 * that the time stays linear.
 */
function equalsSign(header: string, start: number, end: number): number {
  for (let index = start; index < end; index++) {
    if (header.charCodeAt(index) === 0x3d) return index;
  }
  return -1;
}

/** Returns the value of a cookie, or its text if the percent-escapes in it are invalid. */
export function decodeCookie(value: string): string {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
