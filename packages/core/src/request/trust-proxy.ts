/**
 * Which address a request came from, where proxies stand before the server.
 *
 * Every proxy appends the address that it was reached from to `X-Forwarded-For`, and the first entries are whatever
 * the client sent. So the header is read from the right, and only as far as the proxies that are trusted reach:
 * what stands further left anybody may have made up.
 */
import { BlockList, isIP, isIPv4 } from "node:net";

/**
 * Which proxies are believed when they say where a request came from.
 *
 * - `false`: none; `ctx.ip` is the address of whoever connected.
 * - a number: so many proxies stand before the server, one behind the other.
 * - a list: addresses and ranges (`10.0.0.0/8`, `fd00::/8`), and the names `loopback`, `linklocal`, `uniquelocal` and `unix` (whoever connects through a Unix
 *   socket). `ctx.ip` is the first address from the right that is none of these.
 * - `true`: all; only where nobody can reach the server but through a proxy that *replaces* the header.
 */
export type TrustProxy = boolean | number | readonly string[];

/** Finds the client's address from that of the peer; `header` reads a header of the request. */
export type FindAddress = (peer: string, header: (name: string) => string | undefined) => string;

const names: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/** Whether the proxy at an address is believed; `distance` counts from the server, whose peer has 0. */
type IsTrusted = (address: string, distance: number) => boolean;

/**
 * Compiles the option.
 *
 * @throws {TypeError} that says what it must be.
 */
export function compileTrustProxy(option: TrustProxy): FindAddress {
  if (option === false || option === 0) return plainAddress;
  const isTrusted = compileTrust(option);
  return (peer, header) => {
    const address = plainAddress(peer);
    if (!isTrusted(address, 0)) return address;
    const byList = header("x-forwarded-for");
    const byStandard = header("forwarded");
    const listed = byList === undefined ? undefined : find(address, isTrusted, byList.split(","));
    const standard = byStandard === undefined ? undefined : find(address, isTrusted, readFor(byStandard));
    if (listed !== undefined && standard !== undefined) {
      // Proxies write one of the two and pass the other on as the client sent it; which, is not known here.
      return listed === standard ? listed : address;
    }
    return listed ?? standard ?? address;
  };
}

function compileTrust(option: true | number | readonly string[]): IsTrusted {
  if (option === true) return () => true;
  if (typeof option === "number") {
    if (!Number.isInteger(option) || option < 0) throw refused(String(option));
    return (_address, distance) => distance < option;
  }
  if (!Array.isArray(option)) throw refused(JSON.stringify(option));
  const ranges = new BlockList();
  let trustsSockets = false;
  for (const item of option as readonly unknown[]) {
    if (typeof item !== "string") throw refused(`a list with ${String(item)}`);
    if (item === "unix") trustsSockets = true;
    else for (const range of Object.hasOwn(names, item) ? names[item]! : [item]) addRange(ranges, range);
  }
  return (address) => {
    const version = isIP(address);
    if (version === 0) return address === "" && trustsSockets;
    return ranges.check(address, version === 4 ? "ipv4" : "ipv6");
  };
}

function addRange(ranges: BlockList, range: string): void {
  const [address = "", length, ...rest] = range.split("/");
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const bits = length === undefined ? most : Number(length);
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && bits <= most);
  if (version === 0 || !isLength || rest.length > 0 || address.includes("%")) {
    throw new TypeError(
      `createApp: \`trustProxy\`: ${JSON.stringify(range)} is no address or range such as 10.0.0.0/8, and none of ${[...Object.keys(names), "unix"].join(", ")}`,
    );
  }
  ranges.addSubnet(address, bits, version === 4 ? "ipv4" : "ipv6");
}

function refused(found: string): TypeError {
  return new TypeError(
    `createApp: \`trustProxy\` must be a boolean, a number of proxies or a list of addresses, not ${found}`,
  );
}

/**
 * Goes from the server to the client, one proxy at a time. An entry that is no address is as far as it is known where the
 * request came from: the proxy that wrote it is the answer then.
 */
function find(peer: string, isTrusted: IsTrusted, entries: readonly string[]): string {
  let address = peer;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const distance = entries.length - 1 - index;
    if (!isTrusted(address, distance)) return address;
    const next = readAddress(entries[index]!);
    if (next === undefined) return address;
    address = next;
  }
  return address;
}

/** The `for` of each element of a `Forwarded` header (RFC 7239); empty where an element has none. */
function readFor(header: string): string[] {
  return splitOutsideQuotes(header, ",").map((element) => {
    for (const pair of splitOutsideQuotes(element, ";")) {
      const [name = "", ...value] = pair.split("=");
      if (name.trim().toLowerCase() === "for") {
        const text = value.join("=").trim();
        return text.startsWith('"') && text.endsWith('"')
          ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1")
          : text;
      }
    }
    return "";
  });
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\" && isQuoted) index += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** The address of an entry, which may have a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function readAddress(entry: string): string | undefined {
  const text = entry.trim();
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = plainAddress(bracketed ?? plain ?? text);
  return isIP(address) === 0 || address.includes("%") ? undefined : address;
}

/** An IPv4 address that was mapped to IPv6 as IPv4. */
function plainAddress(address: string): string {
  const isMapped = address.startsWith("::ffff:") && isIPv4(address.slice(7));
  return isMapped ? address.slice(7) : address;
}
