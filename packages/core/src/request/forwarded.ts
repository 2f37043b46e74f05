/**
 * Reads the headers by which proxies say where a request came from.
 *
 * Each proxy appends an entry, and everything to the left of the entries of trusted proxies is the client's. So entries are read from
 * the right, one at a time, and nothing that stands further left can change how an entry is read: no quote that a client opened swallows
 * the entry of a proxy. Repeated headers are read as one, joined by commas, which is what repeating them means (RFC 9110, 5.3).
 *
 * `crates/kit-runtime/src/trust_proxy.rs` does the same; `conformance/trust-proxy.json` holds both.
 */
import { isIP, SocketAddress } from "node:net";

/** A header by which proxies say where a request came from. */
export type ForwardingHeader = "x-forwarded-for" | "forwarded";

/** Start of the last entry of a list: behind a comma, or at 0. Nothing if the quotes of the entry do not match. */
type StartOfLast = (text: string, end: number) => number | undefined;

/** Syntax of the entries of a header. */
interface Syntax {
  readonly startOfLast: StartOfLast;
  /** The text of the client's address in an entry; nothing if the entry is malformed or has none. */
  readonly nodeOf: (entry: string) => string | undefined;
}

const syntaxes: Readonly<Record<ForwardingHeader, Syntax>> = {
  "x-forwarded-for": {
    startOfLast: (text, end) => text.lastIndexOf(",", end - 1) + 1,
    nodeOf: (entry) => entry,
  },
  forwarded: { startOfLast: startOfLastElement, nodeOf: nodeOfElement },
};

/** Gives the entries of a header from right to left. */
export class EntriesFromRight {
  readonly #text: string;
  readonly #syntax: Syntax;
  /** End of the entries that were not read yet; -1 if there are none. */
  #end: number;

  constructor(name: ForwardingHeader, text: string) {
    this.#text = text;
    this.#syntax = syntaxes[name];
    this.#end = text.length;
  }

  /** Returns the address of the next entry, `null` if it is malformed or no address, and nothing if there is no further entry. */
  next(): string | null | undefined {
    if (this.#end < 0) return undefined;
    const start = this.#end === 0 ? 0 : this.#syntax.startOfLast(this.#text, this.#end);
    if (start === undefined) return null;
    const node = this.#syntax.nodeOf(trimmed(this.#text.slice(start, this.#end)));
    this.#end = start - 1;
    return node === undefined ? null : (readAddress(node) ?? null);
  }
}

/** Looks for the comma before the last element of a `Forwarded` header, from the right. */
function startOfLastElement(text: string, end: number): number | undefined {
  let isQuoted = false;
  for (let index = end - 1; index >= 0; index -= 1) {
    const character = text[index];
    if (character === '"') {
      let backslashes = 0;
      while (text[index - 1 - backslashes] === "\\") backslashes += 1;
      const isEscaped = backslashes % 2 === 1;
      // Only a quoted string may have an escaped quote; it does not end there.
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
 * A parameter of an element (RFC 7239, 4) with what follows it. Beyond the standard, blanks may stand around `;`, and `[`, `]` and `:` in
 * values without quotes, as some proxies write them.
 */
const parameter =
  /[ \t]*(?:([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:([!#$%&'*+\-.^_`|~0-9A-Za-z:[\]]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?(?:;|$)/sy;

/** The value of `for` in an element of a `Forwarded` header; nothing if the element is malformed, or has not exactly one `for`. */
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

/** Reads `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` and `[2001:db8::1]:4711`; the port may be a name such as `_hidden` (RFC 7239, 6.3). */
function readAddress(node: string): string | undefined {
  const [, bracketed, plain] =
    /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([0-9.]{7,15}))(?::(?:[0-9]{1,5}|_[\w.-]{1,64}))?$/.exec(node) ?? [];
  if (bracketed !== undefined && isIP(bracketed) !== 6) return undefined;
  return canonicalAddress(bracketed ?? plain ?? node);
}

/** An address in its one form: IPv6 in lower case and shortened (RFC 5952), IPv4 that was mapped to IPv6 as IPv4. Nothing if it is no address. */
function canonicalAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version === 0 || text.includes("%")) return undefined;
  return plainAddress(new SocketAddress({ address: text, family: "ipv6" }).address);
}

/** An IPv4 address that was mapped to IPv6 as IPv4; other addresses as they are. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** Without blanks and tabs at both ends, which are all that HTTP has there. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text[start]!)) start += 1;
  while (end > start && isBlank(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}
