import { trimmed } from "../codec/trim.ts";

/** Maximum number of bytes of the name and value together. Browsers ignore larger cookies (RFC 6265bis, 5.6). */
export const mostCookieBytes = 4096;

/** Matches every character that RFC 6265 does not allow in a value, and `%`, so that decoding restores the value. */
const encoded = /[^\x21\x23\x24\x26-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]/gu;

/** Returns true if a string may be the name of a cookie. */
export function isCookieName(name: unknown): name is string {
  return typeof name === "string" && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name);
}

/** Returns the text of a value, with percent-escapes for characters that a cookie cannot have. */
export function encodeCookieValue(value: string): string {
  return value.replaceAll(encoded, encodeURIComponent);
}

/** Returns the text of the first cookie with the name. `header` is the value of the header `cookie`. */
export function findCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals !== -1 && trimmed(pair, 0, equals) === name) return trimmed(pair, equals + 1, pair.length);
  }
  return undefined;
}
