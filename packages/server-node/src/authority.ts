import type { IncomingMessage } from "node:http";

import { badRequest, type Refusal } from "./refusal.ts";

/**
 * Matches a host name or an IP address in brackets, with an optional port: `example.com:80`, `[::1]`. Does not match percent-escapes,
 * because DNS names contain no percent-escapes.
 */
const pattern = /^(?:\[[\w\-.~!$&'()*+,;=:]+\]|[\w\-.~!$&'()*+,;=]+)(?::(\d{0,5}))?$/;

/**
 * Returns true if the string is a valid, non-empty host with or without a port, as in the `Host` header or in `GET http://a/b` (RFC 9110,
 * 7.2; RFC 3986, 3.2). The counterpart is `crates/kit-guard/src/authority.rs`.
 */
export function isAuthority(text: string): boolean {
  if (text === lastValid) return true;
  const found = pattern.exec(text);
  if (found === null || Number(found[1] ?? 0) > 65_535) return false;
  lastValid = text;
  return true;
}

/**
 * Last string that was found to be a valid host. Most requests to a server have the same host, and a
 * comparison with this string costs less than the check.
 */
let lastValid: string | undefined;

/**
 * Returns the host of a request target that is a full URL: `http://a:80/b` gives `a:80`. Returns `undefined` for other targets, such as
 * `/b`.
 */
export function authorityOf(url: string): string | undefined {
  return url.startsWith("/") ? undefined : /^https?:\/\/([^/?]*)/.exec(url)?.[1];
}

/**
 * Replaces the `Host` header of a request with the host of its target (RFC 9112, 3.2.2): `GET http://a/b` is a request to `a`, even if its
 * `Host` header says otherwise. Handlers and frameworks then see one host, whichever API they read it from. Returns a refusal if the host
 * is invalid.
 */
export function applyAuthority(request: IncomingMessage, authority: string): Refusal | undefined {
  if (!isAuthority(authority)) return badRequest("the host in the request target is invalid");
  const { rawHeaders } = request;
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (at === -1) rawHeaders.push("Host", authority);
  else rawHeaders[at + 1] = authority;
  // Node has already built the object `headers` from `rawHeaders`, so both must be changed.
  request.headers.host = authority;
  return undefined;
}
