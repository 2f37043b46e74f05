/**
 * Reads the headers with which proxies report where a request came from.
 *
 * Each proxy appends an entry, and the client controls everything to the left of the entries of trusted
 * proxies. Therefore entries are read one at a time from the right, and nothing to the left of an entry can
 * change how it is parsed: a quote that a client opens cannot hide the entry of a proxy. Repeated headers are
 * joined by commas, which has the same meaning (RFC 9110, 5.3).
 *
 * `crates/kit-runtime/src/trust_proxy.rs` has the same rules in Rust, and `conformance/trust-proxy.json`
 * tests the two implementations.
 */
import { isIP, SocketAddress } from "node:net";

/** Header with which proxies report where a request came from. */
export type ForwardingHeader = "x-forwarded-for" | "forwarded";

/**
 * Function that finds the start of the last entry in the list that ends at `end`: the index after the comma
 * before the entry, or 0. Returns `undefined` if a quoted string in the entry does not end.
 */
type StartOfLast = (text: string, end: number) => number | undefined;

/** Syntax of a forwarding header. */
interface Syntax {
  readonly startOfLast: StartOfLast;
  /** Returns the client's address in an entry. `undefined` if the entry is malformed or has no address. */
  readonly nodeOf: (entry: string) => string | undefined;
}

const syntaxes: Readonly<Record<ForwardingHeader, Syntax>> = {
  "x-forwarded-for": {
    startOfLast: (text, end) => text.lastIndexOf(",", end - 1) + 1,
    nodeOf: (entry) => entry,
  },
  forwarded: { startOfLast: startOfLastElement, nodeOf: nodeOfElement },
};

/** Reads the entries of a header from right to left. */
export class EntriesFromRight {
  readonly #text: string;
  readonly #syntax: Syntax;
  /** End of the entries that have not been read. -1 if there are none. */
  #end: number;

  constructor(name: ForwardingHeader, text: string) {
    this.#text = text;
    this.#syntax = syntaxes[name];
    this.#end = text.length;
  }

  /**
   * Returns the address of the next entry. Returns `null` if the entry is malformed or not an address, and `undefined`
   * if all entries have been read.
   */
  next(): string | null | undefined {
    if (this.#end < 0) return undefined;
    const start = this.#end === 0 ? 0 : this.#syntax.startOfLast(this.#text, this.#end);
    if (start === undefined) return null;
    const node = this.#syntax.nodeOf(trimmed(this.#text.slice(start, this.#end)));
    this.#end = start - 1;
    return node === undefined ? null : (readAddress(node) ?? null);
  }
}

/** Returns the index after the last comma in a `Forwarded` header that is not in quotes. Returns 0 if there is none. */
function startOfLastElement(text: string, end: number): number | undefined {
  let isQuoted = false;
  for (let index = end - 1; index >= 0; index -= 1) {
    const character = text[index];
    if (character === '"') {
      let backslashes = 0;
      while (text[index - 1 - backslashes] === "\\") backslashes += 1;
      const isEscaped = backslashes % 2 === 1;
      // Only a quoted string may have an escaped quote, which does not end the string.
      if (isEscaped && !isQuoted) return undefined;
      if (!isEscaped) isQuoted = !isQuoted;
      index -= backslashes;
    } else if (character === "," && !isQuoted) {
      return index + 1;
    }
  }
  return isQuoted ? undefined : 0;
}

/**
 * Matches one parameter of an element (RFC 7239, 4), with the delimiter after it. Allows more than the
 * standard, because some proxies write it: blanks around `;`, and `[`, `]` and `:` in values without quotes.
 */
const parameter =
  /[ \t]*(?:([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:([!#$%&'*+\-.^_`|~0-9A-Za-z:[\]]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?(?:;|$)/sy;

/**
 * Returns the value of `for` in an element of a `Forwarded` header. `undefined` if the element is malformed, or if it
 * does not have exactly one `for`.
 */
function nodeOfElement(element: string): string | undefined {
  let node: string | undefined;
  parameter.lastIndex = 0;
  while (parameter.lastIndex < element.length) {
    const found = parameter.exec(element);
    if (found === null) return undefined;
    const [, name, plain, quoted] = found;
    if (name?.toLowerCase() !== "for") continue;
    if (node !== undefined) return undefined;
    node = plain ?? quoted!.replaceAll(/\\(.)/gs, "$1");
  }
  return node;
}

/**
 * Parses `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` and `[2001:db8::1]:4711`. The port may be a name such as
 * `_hidden` (RFC 7239, 6.3).
 */
function readAddress(node: string): string | undefined {
  const [, bracketed, plain] =
    /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([0-9.]{7,15}))(?::(?:[0-9]{1,5}|_[\w.-]{1,64}))?$/.exec(node) ?? [];
  if (bracketed !== undefined && isIP(bracketed) !== 6) return undefined;
  return canonicalAddress(bracketed ?? plain ?? node);
}

/**
 * Returns an address in its canonical form: IPv6 in lower case and shortened (RFC 5952), IPv4 that was mapped to IPv6
 * as IPv4. `undefined` if the string is not an address.
 */
function canonicalAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version === 0 || text.includes("%")) return undefined;
  return plainAddress(new SocketAddress({ address: text, family: "ipv6" }).address);
}

/** Returns an IPv4 address that was mapped to IPv6 as IPv4. Returns other addresses unchanged. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** Removes spaces and tabs at both ends. HTTP allows no other whitespace there. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text[start]!)) start += 1;
  while (end > start && isBlank(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}
