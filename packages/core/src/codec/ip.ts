import { HEX, isDigit, isIn } from "./characters.ts";

const DOT = 0x2e;
const COLON = 0x3a;

/** Four octets in a row: a counted group would be a loop with a counter, which is slower. */
const IPV4 = ipv4Pattern();

/** `@format ipv4`: four decimal numbers up to 255, without leading zeros (RFC 2673, section 3.2). */
export function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

/** `@format ipv6`: an address as RFC 4291, section 2.2, writes it; no zone, no brackets, no prefix length. */
export function isIpv6(text: string): boolean {
  return text.length <= 45 && isIpv6Within(text, 0, text.length);
}

/** {@link isIpv4} for a part of a text. What follows the part must be no digit. */
export function isIpv4Within(text: string, start: number, end: number): boolean {
  let index = start;
  for (let octet = 0; octet < 4; octet++) {
    if (octet > 0 && text.charCodeAt(index++) !== DOT) return false;
    const first = text.charCodeAt(index++);
    if (!isDigit(first)) return false;
    // A leading zero may only stand alone: some readers take 010 as eight.
    if (first === 0x30) continue;
    let value = first - 0x30;
    while (isDigit(text.charCodeAt(index))) {
      value = value * 10 + text.charCodeAt(index++) - 0x30;
      if (value > 255) return false;
    }
  }
  return index === end;
}

/** {@link isIpv6} for a part of a text. What follows the part must be neither a digit, a dot nor a colon. */
export function isIpv6Within(text: string, start: number, end: number): boolean {
  let index = start;
  let groups = 0;
  // `::` stands for at least one group, and may stand once.
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
      // A dotted quad counts for two groups and ends the address.
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
