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

/** Returns the value of a text, or the text itself if its percent-escapes are invalid. */
export function decodeCookieValue(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the text of the first cookie with the name. `header` is the value of the header `cookie`. */
export function findCookie(header: string, name: string): string | undefined {
  for (let start = 0; start < header.length;) {
    const semicolon = header.indexOf(";", start);
    const end = semicolon === -1 ? header.length : semicolon;
    const equals = header.indexOf("=", start);
    if (equals !== -1 && equals < end && header.slice(start, equals).trim() === name) {
      return header.slice(equals + 1, end).trim();
    }
    start = end + 1;
  }
  return undefined;
}
