import type { IncomingMessage } from "node:http";

import { badRequest, type Refusal } from "./refusal.ts";

/** A name or an address in brackets, and a port. Percent-escapes are refused: no name of the DNS has one. */
const pattern = /^(?:\[[\w\-.~!$&'()*+,;=:]+\]|[\w\-.~!$&'()*+,;=]+)(?::(\d{0,5}))?$/;

/**
 * Tells if a text is a host that is not empty, with or without a port, as `Host` and targets of the absolute form name it (RFC 9110,
 * 7.2; RFC 3986, 3.2). The counterpart is `crates/kit-guard/src/authority.rs`.
 */
export function isAuthority(text: string): boolean {
  if (text === lastValid) return true;
  const found = pattern.exec(text);
  if (found === null || Number(found[1] ?? 0) > 65_535) return false;
  lastValid = text;
  return true;
}

/** The last text that was a valid host. Most requests to a server name the same host, and comparing costs less than checking. */
let lastValid: string | undefined;

/** The host that a target of the absolute form names; nothing for other targets. */
export function authorityOf(url: string): string | undefined {
  return url.startsWith("/") ? undefined : /^https?:\/\/([^/?]*)/.exec(url)?.[1];
}

/**
 * Gives a request the host that its target named (RFC 9112, 3.2.2): `GET http://a/b` is a request to `a`, whatever its `Host` says.
 * Handlers and frameworks then see one host, in whichever way they ask for it.
 */
export function applyAuthority(request: IncomingMessage, authority: string): Refusal | undefined {
  if (!isAuthority(authority)) return badRequest("the request target names no valid host");
  const { rawHeaders } = request;
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (at === -1) rawHeaders.push("Host", authority);
  else rawHeaders[at + 1] = authority;
  // Node has made this object of the headers before.
  request.headers.host = authority;
  return undefined;
}
