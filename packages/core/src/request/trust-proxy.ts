/** Determines the address of the client, and the scheme and host that it uses, if proxies are in front of the server. */
import type { BlockList } from "node:net";

import { loadNet } from "../node-modules.ts";
import {
  EntriesFromRight,
  type Forwarded,
  type ForwardingHeader,
  itemOfProxy,
  plainAddress,
  readHost,
  readScheme,
} from "./forwarded.ts";

/**
 * Trusted proxies, and the header in which they report the address of the client.
 *
 * - `{ proxies, header }`: `proxies` is a number or a list, as described below. `header` is the header that the proxies
 *   write: `"x-forwarded-for"` (default) or `"forwarded"` (RFC 7239). kit ignores the other header, because proxies
 *   pass it on as the client sent it.
 * - `false`: no proxy. `ctx.ip` is the address of the peer of the connection.
 * - a number: the number of proxies in front of the server, one behind the other.
 * - a list: addresses and ranges (`10.0.0.0/8`, `fd00::/8`), and the names `loopback`, `linklocal`, `uniquelocal` and
 *   `unix` (connections through a Unix socket). `ctx.ip` is the first address from the right that is not in the list.
 * - `true`: all proxies. Safe only if every request passes a proxy that *replaces* the header.
 *
 * `false`, a number, a list and `true` apply to `X-Forwarded-For`.
 */
export type TrustProxy = boolean | number | readonly string[] | TrustedProxies;

/** Trusted proxies, and the header that they write. */
export interface TrustedProxies {
  /** Number of proxies in front of the server, or their addresses, as in {@link TrustProxy}. */
  readonly proxies: number | readonly string[];
  /** Header to which the proxies append. Default `x-forwarded-for`. */
  readonly header?: ForwardingHeader;
  /**
   * True if the outermost proxy reports the scheme that the client uses: in `X-Forwarded-Proto`, or in `proto` if
   * `header` is `forwarded`. Default false, because a proxy that does not write the scheme passes on the value of the
   * client.
   */
  readonly scheme?: boolean;
  /**
   * True if the outermost proxy reports the host that the client uses: in `X-Forwarded-Host`, or in `host` if `header`
   * is `forwarded`. Default false, because a proxy that does not write the host passes on the value of the client.
   */
  readonly host?: boolean;
}

/** Determines the scheme and the host that trusted proxies report. `peer` and `header` are as in {@link FindAddress}. */
export type FindForwarded = (peer: string, header: (name: string) => string | undefined) => Forwarded;

/**
 * Determines the client's address from the address of the peer. `header` reads a header of the request. Returns an
 * empty string if the address is unknown.
 */
export type FindAddress = (peer: string, header: (name: string) => string | undefined) => string;

const headers: readonly ForwardingHeader[] = ["x-forwarded-for", "forwarded"];

const names: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/**
 * Returns true if the proxy at an address is trusted. `distance` is the number of proxies between it and the server;
 * the peer has 0.
 */
type IsTrusted = (address: string, distance: number) => boolean;

/**
 * Compiles the option `trustProxy`.
 *
 * @throws {TypeError} If the option is invalid. The message lists the valid values.
 */
export function compileTrustProxy(option: TrustProxy): FindAddress {
  const { proxies, header: name } = readOption(option);
  if (proxies === false || proxies === 0) return plainAddress;
  const isTrusted = compileTrust(proxies);
  return (peer, header) => {
    const address = plainAddress(peer);
    if (!isTrusted(address, 0)) return address;
    const text = header(name);
    // A proxy that makes a request of its own, for example a health check, writes no header.
    return text === undefined ? address : walk(new EntriesFromRight(name, text), address, isTrusted);
  };
}

/** Compiled options `trustProxy.scheme` and `trustProxy.host`. */
export interface TrustedOrigin {
  readonly find: FindForwarded;
  /** True if proxies report the scheme. */
  readonly hasScheme: boolean;
}

/**
 * Compiles the options `trustProxy.scheme` and `trustProxy.host`. Returns `null` if both are off.
 *
 * @throws {TypeError} If the option is invalid. The message lists the valid values.
 */
export function compileTrustedOrigin(option: TrustProxy): TrustedOrigin | null {
  const { proxies, header: name, scheme, host } = readOption(option);
  if (!scheme && !host) return null;
  const isTrusted = compileTrust(proxies as number | readonly string[]);
  const only = (found: Forwarded): Forwarded => ({
    scheme: scheme ? found.scheme : undefined,
    host: host ? found.host : undefined,
  });
  const find: FindForwarded = (peer, header) => {
    const address = plainAddress(peer);
    if (!isTrusted(address, 0)) return none;
    const text = header(name);
    const entries = text === undefined ? undefined : new EntriesFromRight(name, text);
    if (entries !== undefined) walk(entries, address, isTrusted);
    if (name === "forwarded") return entries === undefined ? none : only(entries.origin);
    const count = Math.max(entries?.count ?? 0, 1);
    return only({
      scheme: readScheme(itemOfProxy(header("x-forwarded-proto"), count)),
      host: readHost(itemOfProxy(header("x-forwarded-host"), count)),
    });
  };
  return { find, hasScheme: scheme };
}

/** Result for a request that no trusted proxy has passed on. */
const none: Forwarded = { scheme: undefined, host: undefined };

/**
 * Reads the entries of trusted proxies, and returns the first address that is not trusted. Returns an empty string if the entry
 * of a trusted proxy has no address.
 */
function walk(entries: EntriesFromRight, peer: string, isTrusted: IsTrusted): string {
  let address = peer;
  for (let distance = 0; isTrusted(address, distance); distance += 1) {
    const next = entries.next();
    if (next === undefined) return address;
    // Returns no address instead of the proxy's own. An application that trusts internal addresses would otherwise
    // trust the client.
    if (next === null) return "";
    address = next;
  }
  return address;
}

interface ReadTrustProxy {
  readonly proxies: boolean | number | readonly string[];
  readonly header: ForwardingHeader;
  readonly scheme: boolean;
  readonly host: boolean;
}

/** Options of {@link TrustedProxies}. */
const known: Readonly<Record<keyof TrustedProxies, true>> = {
  proxies: true,
  header: true,
  scheme: true,
  host: true,
};

function readOption(option: TrustProxy): ReadTrustProxy {
  if (typeof option !== "object" || option === null || isList(option)) {
    return { proxies: option, header: "x-forwarded-for", scheme: false, host: false };
  }
  for (const name of Object.keys(option)) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(`createApp: there is no option \`trustProxy.${name}\``);
  }
  const { proxies, header = "x-forwarded-for", scheme = false, host = false } = option;
  if (typeof proxies !== "number" && !isList(proxies)) {
    throw new TypeError(
      `createApp: \`trustProxy.proxies\` must be a number of proxies or a list of addresses, not ${shown(proxies)}`,
    );
  }
  if (!headers.includes(header)) {
    throw new TypeError(
      `createApp: \`trustProxy.header\` must be one of ${headers.join(", ")}, not ${shown(header)}`,
    );
  }
  for (const [name, value] of Object.entries({ scheme, host })) {
    if (typeof value !== "boolean")
      throw new TypeError(`createApp: \`trustProxy.${name}\` must be true or false, not ${shown(value)}`);
  }
  return { proxies, header, scheme, host };
}

/** Wraps `Array.isArray`, whose type does not narrow to read-only arrays. */
function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

function compileTrust(option: true | number | readonly string[]): IsTrusted {
  if (option === true) return () => true;
  if (typeof option === "number") {
    if (!Number.isInteger(option) || option < 0) throw refused(option);
    return (_address, distance) => distance < option;
  }
  if (!isList(option)) throw refused(option);
  const { BlockList, isIP } = loadNet();
  const ranges = new BlockList();
  let trustsSockets = false;
  for (const item of option as readonly unknown[]) {
    if (typeof item !== "string") throw refused(option);
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
  const version = loadNet().isIP(address);
  const most = version === 4 ? 32 : 128;
  const bits = length === undefined ? most : Number(length);
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && bits <= most);
  if (version === 0 || !isLength || rest.length > 0 || address.includes("%")) {
    throw new TypeError(
      `createApp: \`trustProxy\`: ${JSON.stringify(range)} is not an address, a range such as 10.0.0.0/8, or one of ${[...Object.keys(names), "unix"].join(", ")}`,
    );
  }
  ranges.addSubnet(address, bits, version === 4 ? "ipv4" : "ipv6");
}

function refused(found: unknown): TypeError {
  return new TypeError(
    `createApp: \`trustProxy\` must be a boolean, a number of proxies, a list of addresses or an object such as { proxies: 1, header: "forwarded" }, not ${shown(found)}`,
  );
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
