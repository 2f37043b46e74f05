import { isIP } from "node:net";

/** The address that `kit dev` listens on unless the program or `--host` names one. */
export const defaultHost = "127.0.0.1";

/**
 * Tells whether a request with this `Host` header may be answered: its name is an address, `localhost`, a name below `localhost`, or one of `allowed`. A web
 * page cannot have such a name, unless it is served from there. Without a `Host` (HTTP/1.0) no browser asks.
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
