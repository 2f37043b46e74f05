import { isIP } from "node:net";

/** Default address that `kit dev` listens on, if neither the program nor `--host` specifies one. */
export const defaultHost = "127.0.0.1";

/**
 * Returns true if requests with this `Host` header are allowed: the name is an IP address, `localhost`, a name below `localhost`, or in
 * `allowed`. This prevents DNS rebinding: the page of another site has a different name. Browsers always send `Host`, so requests without
 * it (HTTP/1.0) are allowed.
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
