/**
 * Sets of ASCII characters as bits of one table, for the scanners of the formats. A scanner reads each character once
 * and never goes back, so it takes linear time for every input, and it allocates nothing.
 */

/** Set of the characters of an RFC 3986 `scheme` after its first letter. */
export const SCHEME = 1;
/** Set of the characters of an RFC 3986 `userinfo`, without percent-escapes. */
export const USERINFO = 2;
/** Set of the characters of an RFC 3986 `reg-name`, without percent-escapes. */
export const REG_NAME = 4;
/** Set of the characters of an RFC 3986 `path`, without percent-escapes: `pchar` and `/`. */
export const PATH = 8;
/** Set of the characters of an RFC 3986 `query` or `fragment`, without percent-escapes. */
export const QUERY = 16;
/** Set of the characters of an RFC 5321 `atext`. */
export const ATEXT = 32;
/** Set of the characters of an RFC 5321 `Let-dig`. */
export const LETTER_OR_DIGIT = 64;
/** Set of the hexadecimal digits in upper and lower case. */
export const HEX = 128;

const TABLE: Uint8Array = table();

/**
 * Returns true if a UTF-16 code unit is in a set. No set contains `NaN`, which `charCodeAt` returns after the end of a
 * string.
 */
export function isIn(unit: number, set: number): boolean {
  return unit < 128 && ((TABLE[unit] as number) & set) !== 0;
}

/** Returns true if a UTF-16 code unit is `0` to `9`. */
export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Returns true if a UTF-16 code unit is an ASCII letter. */
export function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function table(): Uint8Array {
  const sets = new Uint8Array(128);
  const add = (characters: string, set: number): void => {
    for (const character of characters) {
      const unit = character.charCodeAt(0);
      sets[unit] = (sets[unit] as number) | set;
    }
  };
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const digits = "0123456789";
  const everywhere = USERINFO | REG_NAME | PATH | QUERY;
  add(letters + digits, everywhere | SCHEME | ATEXT | LETTER_OR_DIGIT);
  add("-._~!$&'()*+,;=", everywhere);
  add("+-.", SCHEME);
  add(":", USERINFO | PATH | QUERY);
  add("@/", PATH | QUERY);
  add("?", QUERY);
  add("!#$%&'*+/=?^_`{|}~-", ATEXT);
  add("0123456789ABCDEFabcdef", HEX);
  return sets;
}
