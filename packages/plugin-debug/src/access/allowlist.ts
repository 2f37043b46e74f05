import { BlockList, isIP } from "node:net";

/** Set of IP addresses that may send requests to the sidecar. */
export interface Allowlist {
  has(address: string): boolean;
}

/**
 * Parses addresses and ranges: `10.0.0.0/8`, `fd00::/8`, `192.0.2.7`. An IPv4 address and its IPv4-mapped IPv6 form (`::ffff:192.0.2.7`)
 * mean the same, in the list and as the address of a client.
 *
 * @throws {TypeError} with the invalid entry.
 */
export function readAllowlist(entries: readonly string[], option: string): Allowlist {
  const list = new BlockList();
  for (const entry of entries) add(list, entry, option);
  return {
    has(address) {
      const plain = plainAddress(address);
      const version = isIP(plain);
      return version !== 0 && list.check(plain, version === 4 ? "ipv4" : "ipv6");
    },
  };
}

function add(list: BlockList, entry: unknown, option: string): void {
  const text = typeof entry === "string" ? entry.trim() : "";
  const [given = "", bits, more] = text.split("/");
  const address = plainAddress(given);
  const version = isIP(address);
  // A range of IPv4-mapped addresses is a range of IPv4 addresses, unless it contains other IPv6 addresses too.
  const isMapped = version === 4 && isIP(given) === 6;
  const width = version === 4 ? 32 : 128;
  const prefix =
    bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) - (isMapped ? 96 : 0) : -1;
  if (version === 0 || more !== undefined || given.includes("%") || prefix < 0 || prefix > width) {
    const shown = typeof entry === "string" ? `"${entry}"` : String(entry);
    throw new TypeError(
      `debugPlugin: \`${option}\` has ${shown}, which is neither an address nor a range; write \`10.0.0.0/8\`, \`fd00::/8\` or \`192.0.2.7\``,
    );
  }
  const family = version === 4 ? "ipv4" : "ipv6";
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, prefix, family);
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Returns true for loopback addresses in any form, and for the name `localhost`. Other names may resolve to any address. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  const version = isIP(plain);
  if (version === 0) return plain.toLowerCase() === "localhost";
  return loopback.check(plain, version === 4 ? "ipv4" : "ipv6");
}

/** Normalizes an address: removes the zone, and converts IPv4-mapped IPv6 (`::ffff:10.0.0.1`, `::ffff:a00:1`) to IPv4. */
export function plainAddress(address: string): string {
  const bare = address.split("%", 1)[0]!;
  const mapped = /^(?:::|(?:0{1,4}:){5})ffff:(.+)$/i.exec(bare)?.[1];
  if (mapped === undefined || isIP(bare) !== 6) return bare;
  if (isIP(mapped) === 4) return mapped;
  const [, high, low] = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(mapped) ?? [];
  if (high === undefined || low === undefined) return bare;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}
