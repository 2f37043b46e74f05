import { HEX, isDigit, isIn } from "./characters.ts";

const DOT = 0x2e;
const COLON = 0x3a;

/** Matches an IPv4 address. The four octets are written out, because a counted group would be a slower loop. */
const IPV4 = ipv4Pattern();

/**
 * Returns true if a string satisfies `@format ipv4`: four decimal numbers up to 255, without leading zeros (RFC 2673,
 * section 3.2).
 *
 * @example
 * ```ts
 * isIpv4("192.0.2.1"); // true
 * isIpv4("192.0.2.01"); // false
 * ```
 */
export function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

/**
 * Returns true if a string satisfies `@format ipv6`: an address of RFC 4291, section 2.2, without zone, brackets and
 * prefix length.
 *
 * @example
 * ```ts
 * isIpv6("2001:db8::1"); // true
 * isIpv6("[2001:db8::1]"); // false
 * ```
 */
export function isIpv6(text: string): boolean {
  return text.length <= 45 && isIpv6Within(text, 0, text.length);
}

/** Checks a substring as {@link isIpv4} does. The character after the substring must not be a digit. */
export function isIpv4Within(text: string, start: number, end: number): boolean {
  let index = start;
  for (let octet = 0; octet < 4; octet++) {
    if (octet > 0 && text.charCodeAt(index++) !== DOT) return false;
    const first = text.charCodeAt(index++);
    if (!isDigit(first)) return false;
    // A leading zero is refused, because some parsers read 010 as octal.
    if (first === 0x30) continue;
    let value = first - 0x30;
    while (isDigit(text.charCodeAt(index))) {
      value = value * 10 + text.charCodeAt(index++) - 0x30;
      if (value > 255) return false;
    }
  }
  return index === end;
}

/**
 * Checks a substring as {@link isIpv6} does. The character after the substring must not be a digit, a dot or a colon.
 */
export function isIpv6Within(text: string, start: number, end: number): boolean {
  let index = start;
  let groups = 0;
  // `::` stands for at least one group, and may occur once.
  let compressed = false;
  if (text.charCodeAt(index) === COLON) {
    if (text.charCodeAt(index + 1) !== COLON) return false;
    compressed = true;
    index += 2;
    if (index === end) return true;
  }
  while (groups < 8) {
    const first = index;
    while (isIn(text.charCodeAt(index), HEX)) {
      if (++index - first > 4) return false;
    }
    if (index === first) return false;
    if (text.charCodeAt(index) === DOT) {
      // A dotted quad counts as two groups and ends the address.
      return (compressed ? groups <= 5 : groups === 6) && isIpv4Within(text, first, end);
    }
    groups++;
    if (index === end) return compressed ? groups <= 7 : groups === 8;
    if (text.charCodeAt(index++) !== COLON) return false;
    if (text.charCodeAt(index) === COLON) {
      if (compressed) return false;
      compressed = true;
      index++;
      if (index === end) return groups <= 7;
    }
  }
  return false;
}

function ipv4Pattern(): RegExp {
  const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])";
  return new RegExp(`^${[octet, octet, octet, octet].join("\\.")}$`);
}
