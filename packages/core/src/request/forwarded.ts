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
import { loadNet } from "../node-modules.ts";

/** Header in which proxies report the address of the client. */
export type ForwardingHeader = "x-forwarded-for" | "forwarded";

/**
 * Function that finds the start of the last entry in the list that ends at `end`: the index after the comma
 * before the entry, or 0. Returns `undefined` if a quoted string in the entry does not end.
 */
type StartOfLast = (text: string, end: number) => number | undefined;

/** Syntax of a forwarding header. */
interface Syntax {
  readonly startOfLast: StartOfLast;
  /** Returns the parts of an entry. `undefined` if the entry is malformed or has no address. */
  readonly read: (entry: string) => Entry | undefined;
}

/** Parts of an entry, unchecked. */
interface Entry {
  readonly node: string;
  /** Scheme and host that the proxy reports. `undefined` if the entry has none, `null` if it has several. */
  readonly proto?: string | null | undefined;
  readonly host?: string | null | undefined;
}

/** Scheme or host that a proxy reports: `undefined` if it reports none, and `null` if the report is malformed. */
export interface Forwarded {
  readonly scheme: "http" | "https" | null | undefined;
  /** Host in lower case, with the port if the proxy reports one. */
  readonly host: string | null | undefined;
}

/** Report that is malformed. */
const malformed: Forwarded = { scheme: null, host: null };

const syntaxes: Readonly<Record<ForwardingHeader, Syntax>> = {
  "x-forwarded-for": {
    startOfLast: (text, end) => text.lastIndexOf(",", end - 1) + 1,
    read: (entry) => ({ node: entry }),
  },
  forwarded: { startOfLast: startOfLastElement, read: readElement },
};

/** Reads the entries of a header from right to left. */
export class EntriesFromRight {
  readonly #text: string;
  readonly #syntax: Syntax;
  /** End of the entries that have not been read. -1 if there are none. */
  #end: number;
  /** Number of entries that have been read. */
  count = 0;
  /** Scheme and host in the entry that was read last. */
  origin: Forwarded = malformed;

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
    this.count += 1;
    this.origin = malformed;
    const start = this.#end === 0 ? 0 : this.#syntax.startOfLast(this.#text, this.#end);
    if (start === undefined) return null;
    const entry = this.#syntax.read(trimmed(this.#text.slice(start, this.#end)));
    this.#end = start - 1;
    if (entry === undefined) return null;
    this.origin = { scheme: readScheme(entry.proto), host: readHost(entry.host) };
    return readAddress(entry.node) ?? null;
  }
}

/**
 * Returns the item of a list that a proxy wrote if `count` proxies append one item each, the nearest proxy the last one.
 * Returns the first item of a shorter list, because a proxy may replace the list or pass it on. Returns `undefined` if the
 * header is absent.
 */
export function itemOfProxy(text: string | undefined, count: number): string | undefined {
  if (text === undefined) return undefined;
  const items = text.split(",");
  return trimmed(items[Math.max(items.length - count, 0)]!);
}

/** Checks the name of a scheme that a proxy reports. */
export function readScheme(text: string | null | undefined): Forwarded["scheme"] {
  if (text === undefined) return undefined;
  const scheme = text?.toLowerCase();
  return scheme === "http" || scheme === "https" ? scheme : null;
}

/** Name or address of a host with an optional port (RFC 9110, section 7.2), without characters that only user names have. */
const hostPattern = /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/** Checks a host that a proxy reports. */
export function readHost(text: string | null | undefined): Forwarded["host"] {
  if (text === undefined) return undefined;
  const host = text?.toLowerCase() ?? "";
  return hostPattern.test(host) ? host : null;
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
 * Returns the parts of an element of a `Forwarded` header. `undefined` if the element is malformed, or if it does not have
 * exactly one `for`.
 */
function readElement(element: string): Entry | undefined {
  const found: Record<"for" | "proto" | "host", string[]> = { for: [], proto: [], host: [] };
  parameter.lastIndex = 0;
  while (parameter.lastIndex < element.length) {
    const match = parameter.exec(element);
    if (match === null) return undefined;
    const [, name = "", plain, quoted] = match;
    const known = name.toLowerCase();
    if (known !== "for" && known !== "proto" && known !== "host") continue;
    found[known].push(plain ?? quoted!.replaceAll(/\\(.)/gs, "$1"));
  }
  const [node, ...others] = found.for;
  if (node === undefined || others.length > 0) return undefined;
  return { node, proto: onlyOf(found.proto), host: onlyOf(found.host) };
}

/** Returns the only value. `undefined` if there is none, and `null` if there are several. */
function onlyOf(values: readonly string[]): string | null | undefined {
  return values.length > 1 ? null : values[0];
}

/**
 * Parses `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` and `[2001:db8::1]:4711`. The port may be a name such as
 * `_hidden` (RFC 7239, 6.3).
 */
function readAddress(node: string): string | undefined {
  const [, bracketed, plain] =
    /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([0-9.]{7,15}))(?::(?:[0-9]{1,5}|_[\w.-]{1,64}))?$/.exec(node) ?? [];
  if (bracketed !== undefined && loadNet().isIP(bracketed) !== 6) return undefined;
  return canonicalAddress(bracketed ?? plain ?? node);
}

/**
 * Returns an address in its canonical form: IPv6 in lower case and shortened (RFC 5952), IPv4 that was mapped to IPv6
 * as IPv4. `undefined` if the string is not an address.
 */
function canonicalAddress(text: string): string | undefined {
  const { isIP, SocketAddress } = loadNet();
  const version = isIP(text);
  if (version === 4) return text;
  if (version === 0 || text.includes("%")) return undefined;
  return plainAddress(new SocketAddress({ address: text, family: "ipv6" }).address);
}

/** Returns an IPv4 address that was mapped to IPv6 as IPv4. Returns other addresses unchanged. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && loadNet().isIP(address.slice(7)) === 4 ? address.slice(7) : address;
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
