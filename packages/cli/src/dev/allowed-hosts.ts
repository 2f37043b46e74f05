import { isIP } from "node:net";

/** Address that `kit dev` listens on if neither the program nor `--host` specifies one. */
export const defaultHost = "127.0.0.1";

/**
 * Returns true if the `Host` header of a request is an IP address, `localhost`, a name that ends with `.localhost`, or one of the names in
 * `allowed`. This prevents DNS rebinding: the page of another site would send another name. Requests without `Host` (HTTP/1.0) are allowed,
 * because browsers always send it.
 */
export function acceptsHost(host: string | undefined, allowed: readonly string[]): boolean {
  if (host === undefined) return true;
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  const name = plain?.toLowerCase().replace(/\.$/, "");
  if (name === undefined) return false;
  return (
    isIP(name) === 4 ||
    name === "localhost" ||
    name.endsWith(".localhost") ||
    allowed.some((other) => other.toLowerCase() === name)
  );
}
