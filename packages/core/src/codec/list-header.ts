import { trimmed } from "./trim.ts";

/**
 * Splits the value of a header that is a list (RFC 9110, section 5.6.1): at commas outside quoted strings. Spaces and
 * tabs around items are removed, and empty items are left out. Items stay as they are written, with their quotes.
 *
 * @example
 * ```ts
 * readList('"a,b", W/"c",, d'); // ['"a,b"', 'W/"c"', "d"]
 * readList(undefined); // []
 * ```
 */
export function readList(value: string | undefined): string[] {
  const items: string[] = [];
  if (value === undefined) return items;
  let isQuoted = false;
  let start = 0;
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index);
    if (isQuoted) {
      // A backslash in a quoted string escapes the next character (RFC 9110, section 5.6.4).
      if (unit === BACKSLASH) index++;
      else if (unit === QUOTE) isQuoted = false;
    } else if (unit === QUOTE) {
      isQuoted = true;
    } else if (unit === COMMA) {
      addItem(items, value, start, index);
      start = index + 1;
    }
  }
  addItem(items, value, start, value.length);
  return items;
}

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const COMMA = 0x2c;

function addItem(items: string[], value: string, start: number, end: number): void {
  const item = trimmed(value, start, end);
  if (item !== "") items.push(item);
}
