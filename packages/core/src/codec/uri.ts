import { HEX, isDigit, isIn, isLetter, PATH, QUERY, REG_NAME, SCHEME, USERINFO } from "./characters.ts";
import { isIpv6Within } from "./ip.ts";

const PERCENT = 0x25;
const SLASH = 0x2f;
const COLON = 0x3a;
const QUESTION = 0x3f;
const HASH = 0x23;
const AT = 0x40;
const OPENING = 0x5b;

/**
 * Maximum length of strings for the regular expression. Longer strings use the scanner, because the engine needs a
 * stack entry for each character.
 */
const SHORT = 2048;

/**
 * Matches a URI without user information whose host is a name, as in almost all real URIs. V8 runs the pattern in a
 * third of the time of the scanner below. The pattern is unambiguous, so it never backtracks.
 */
const USUAL = usualPattern();

/**
 * Returns true if a string satisfies `@format uri`: a `URI` of RFC 3986, with a scheme. Non-ASCII characters must be
 * percent-encoded.
 *
 * @example
 * ```ts
 * isUri("https://example.com/a%20b"); // true
 * isUri("/notes"); // false
 * ```
 */
export function isUri(text: string): boolean {
  return (text.length <= SHORT && USUAL.test(text)) || isUriOfAnyKind(text);
}

function isUriOfAnyKind(text: string): boolean {
  if (!isLetter(text.charCodeAt(0))) return false;
  let index = 1;
  while (isIn(text.charCodeAt(index), SCHEME)) index++;
  if (text.charCodeAt(index++) !== COLON) return false;
  if (text.charCodeAt(index) === SLASH && text.charCodeAt(index + 1) === SLASH) {
    index = endOfAuthority(text, index + 2);
    if (index < 0) return false;
  }
  index = endOf(text, index, PATH);
  if (text.charCodeAt(index) === QUESTION) index = endOf(text, index + 1, QUERY);
  if (text.charCodeAt(index) === HASH) index = endOf(text, index + 1, QUERY);
  return index === text.length;
}

/** Returns the index of the first character from `start` on that is neither in the set nor part of a percent-escape. */
function endOf(text: string, start: number, set: number): number {
  let index = start;
  for (;;) {
    const unit = text.charCodeAt(index);
    if (isIn(unit, set)) index++;
    else if (unit === PERCENT && isEscape(text, index)) index += 3;
    else return index;
  }
}

function isEscape(text: string, index: number): boolean {
  return isIn(text.charCodeAt(index + 1), HEX) && isIn(text.charCodeAt(index + 2), HEX);
}

/** Returns the index after `[userinfo@]host[:port]`. Returns -1 if it is invalid. */
function endOfAuthority(text: string, start: number): number {
  // All characters of a host name are valid in a userinfo, so a single walk determines which of the two it is.
  const first = endOf(text, start, USERINFO);
  const host = text.charCodeAt(first) === AT ? first + 1 : start;
  const end = text.charCodeAt(host) === OPENING ? endOfLiteral(text, host) : endOf(text, host, REG_NAME);
  if (end < 0) return -1;
  let index = end;
  if (text.charCodeAt(index) === COLON) {
    index++;
    while (isDigit(text.charCodeAt(index))) index++;
  }
  const next = text.charCodeAt(index);
  const ends = index === text.length || next === SLASH || next === QUESTION || next === HASH;
  return ends ? index : -1;
}

/** Returns the index after `[2001:db8::1]` or `[v1.future]`. Returns -1 if it is invalid. */
function endOfLiteral(text: string, start: number): number {
  const closing = text.indexOf("]", start);
  if (closing < 0) return -1;
  const isAddress =
    (text.charCodeAt(start + 1) | 0x20) === 0x76
      ? isFuture(text, start + 2, closing)
      : isIpv6Within(text, start + 1, closing);
  return isAddress ? closing + 1 : -1;
}

/** Returns true if a substring, starting after the `v`, is an `IPvFuture` of RFC 3986. */
function isFuture(text: string, start: number, end: number): boolean {
  let index = start;
  while (isIn(text.charCodeAt(index), HEX)) index++;
  if (index === start || text.charCodeAt(index++) !== 0x2e) return false;
  const first = index;
  while (isIn(text.charCodeAt(index), USERINFO)) index++;
  return index > first && index === end;
}

function usualPattern(): RegExp {
  const everywhere = "A-Za-z0-9._~!$&'()*+,;=-";
  const authority = `//${any(everywhere)}(?::[0-9]*)?(?![^/?#])`;
  const query = any(`:@/?${everywhere}`);
  return new RegExp(
    `^[A-Za-z][A-Za-z0-9+.-]*:(?:${authority}|(?!//))${any(`:@/${everywhere}`)}(?:\\?${query})?(?:#${query})?$`,
  );
}

/** Returns a pattern that matches any number of percent-escapes and characters of a set. */
function any(set: string): string {
  return `[${set}]*(?:%[0-9A-Fa-f][0-9A-Fa-f][${set}]*)*`;
}
