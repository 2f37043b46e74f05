import { hash } from "node:crypto";

import type { MiddlewareInput } from "@kit/core";

/**
 * Property of a request that identifies the client:
 *
 * - `ip`: the address of the client. IPv6 addresses of one `/64` network are one client, since a provider gives each of
 *   its customers such a network.
 * - `auth.subject`, or another path in `ctx.auth`: the caller that middleware has authenticated.
 * - `header x-api-key`: the value of a header.
 * - A function that returns a text. The property is unknown if the function returns `undefined`.
 *
 * If the property is unknown or empty, the address identifies the client.
 */
export type LimitKey =
  | "ip"
  | `auth.${string}`
  | `header ${string}`
  | ((input: MiddlewareInput) => string | undefined);

/** Name of the only client if addresses are unknown. */
export const unknownAddress = "ip unknown";

/** Returns a function that returns the name of the client of a request. Names have at most 64 characters. */
export function keyReader(by: LimitKey): (input: MiddlewareInput) => string {
  if (by === "ip") return ({ ctx }) => addressKey(ctx.ip);
  const read = valueReader(by);
  return (input) => {
    const value = read(input);
    // Hashes bound the length of names, and keep credentials out of the store.
    if (value !== undefined && value !== "") return hash("sha256", value, "base64url");
    return addressKey(input.ctx.ip);
  };
}

function valueReader(by: LimitKey): (input: MiddlewareInput) => string | undefined {
  if (typeof by === "function") return by;
  const header = /^header ([!#$%&'*+.^_`|~0-9a-z-]+)$/i.exec(by)?.[1]?.toLowerCase();
  if (header !== undefined) return ({ headers }) => headers[header];
  const path = by.split(".");
  if (path[0] === "auth" && path.length > 1 && !path.includes("")) {
    return ({ ctx }) => {
      let value: unknown = ctx;
      for (const name of path) {
        value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
      }
      return ["string", "number", "bigint"].includes(typeof value) ? String(value) : undefined;
    };
  }
  throw new TypeError(
    `rateLimit: \`by\` must be "ip", a path such as "auth.subject", a header such as "header x-api-key", or a function, not ${JSON.stringify(by)}`,
  );
}

function addressKey(ip: string): string {
  if (ip === "") return unknownAddress;
  return `ip ${ip.includes(":") ? network64(ip) : ip}`;
}

/** Returns the first 64 bits of an IPv6 address, as four groups. */
function network64(ip: string): string {
  const [before = "", after] = ip.split("::");
  const groups = before === "" ? [] : before.split(":");
  if (after !== undefined) {
    const last = after === "" ? [] : after.split(":");
    // An IPv4 address at the end takes the place of two groups.
    const given = groups.length + last.length + (after.includes(".") ? 1 : 0);
    groups.push(...Array<string>(8 - given).fill("0"), ...last);
  }
  const normal = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${normal.join(":")}::/64`;
}
